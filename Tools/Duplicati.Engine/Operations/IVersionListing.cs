using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Utility;

namespace Duplicati.Engine.Operations;

/// <summary>Something that knows the versions of a backup. Versions are counted from 0, the newest.</summary>
public interface IVersionListing
{
    /// <summary>The versions, newest first.</summary>
    Task<IReadOnlyList<ListedVersion>> VersionsAsync(CancellationToken token);

    /// <summary>The entries of a version that a filter wants, by path; an empty filter wants all.</summary>
    /// <exception cref="UserInformationException">Help id <c>InvalidVersion</c>.</exception>
    Task<IReadOnlyList<ListedEntry>> EntriesAsync(int version, IFilter filter, CancellationToken token);

    /// <summary>The paths of all versions that a filter wants, with their sizes, by path; an empty filter wants all.</summary>
    Task<IReadOnlyList<FoundPath>> FindAsync(IFilter filter, CancellationToken token);

    /// <summary>What lies directly in a folder of a version, by path.</summary>
    /// <param name="folder">With or without a separator at its end; blank for the topmost entries.</param>
    /// <param name="version">The version.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="UserInformationException">Help ids <c>InvalidVersion</c>, <c>FolderNotInVersion</c>.</exception>
    Task<IReadOnlyList<ListedEntry>> FolderAsync(string folder, int version, CancellationToken token);

    /// <summary>The versions that hold given paths, with or without a separator at their end, in the order of the paths.</summary>
    Task<IReadOnlyList<PathVersions>> FileVersionsAsync(IReadOnlyList<string> paths, CancellationToken token);
}
