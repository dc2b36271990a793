using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;

namespace Duplicati.Engine.Operations;

/// <summary>Lists versions and their files straight from the remote folder, without a database.</summary>
/// <param name="options">What the operation works on.</param>
public sealed class RemoteListing(EngineOptions options) : IVersionListing
{
    /// <summary>The versions, newest first.</summary>
    /// <exception cref="UserInformationException">Help id <c>EmptyRemoteLocation</c>.</exception>
    public async Task<IReadOnlyList<ListedVersion>> VersionsAsync(CancellationToken token)
    {
        var names = await FilelistsAsync(token).ConfigureAwait(false);
        return [.. names.Select((name, version) => new ListedVersion(version, name.Time, null, name.FileName))];
    }

    /// <summary>The entries of a version, in the order of the file list.</summary>
    /// <exception cref="UserInformationException">Help ids <c>EmptyRemoteLocation</c>, <c>InvalidVersion</c>, and those of damaged volumes.</exception>
    public async Task<IReadOnlyList<ListedEntry>> EntriesAsync(int version, CancellationToken token)
    {
        var names = await FilelistsAsync(token).ConfigureAwait(false);
        if (version < 0 || version >= names.Count)
            throw new UserInformationException($"There is no version {version}; versions 0 (newest) to {names.Count - 1} exist.", "InvalidVersion");

        using var temporary = new TemporaryFolder();
        var downloader = new VolumeDownloader(LocalFolder.Parse(options.Remote), options.Passphrase, temporary.Path);
        using var download = await downloader.FetchAsync(names[version].FileName, VolumeHash.Sha256, null, -1, token).ConfigureAwait(false);
        using var filelist = FilelistReader.Open(download.Content, names[version].FileName);
        return [.. filelist.ReadEntries().Select(x => new ListedEntry(x.Path, x.Type.ToString(), x.Type == FilelistEntryType.File ? x.Size : -1, x.Type == FilelistEntryType.File ? x.Time : null))];
    }

    private async Task<List<VolumeName>> FilelistsAsync(CancellationToken token)
    {
        var files = await LocalFolder.Parse(options.Remote).ListAsync(token).ConfigureAwait(false);
        var names = files.Select(x => VolumeName.Parse(x.Name))
            .Where(x => x is { IsParityCompanion: false, Type: RemoteVolumeType.Files } && x.Prefix == options.Prefix)
            .Select(x => x!)
            .OrderByDescending(x => x.Time)
            .ToList();
        return names.Count > 0 ? names : throw new UserInformationException($"No file lists were found at {options.Remote}; check the address.", "EmptyRemoteLocation");
    }
}
