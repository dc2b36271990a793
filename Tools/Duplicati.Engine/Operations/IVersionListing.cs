namespace Duplicati.Engine.Operations;

/// <summary>Something that knows the versions of a backup.</summary>
public interface IVersionListing
{
    /// <summary>The versions, newest first.</summary>
    Task<IReadOnlyList<ListedVersion>> VersionsAsync(CancellationToken token);

    /// <summary>The entries of a version.</summary>
    /// <param name="version">0 = newest.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="Duplicati.Library.Interface.UserInformationException">Help id <c>InvalidVersion</c>.</exception>
    Task<IReadOnlyList<ListedEntry>> EntriesAsync(int version, CancellationToken token);
}
