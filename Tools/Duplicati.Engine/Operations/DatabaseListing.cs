using Duplicati.Engine.Configuration;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Operations;

/// <summary>Lists versions and their entries from a local database. A database of an older schema is upgraded first.</summary>
/// <param name="path">The database file.</param>
/// <param name="preset">Connection preset by name.</param>
public sealed class DatabaseListing(string path, string preset) : IVersionListing
{
    /// <summary>The versions, newest first.</summary>
    /// <exception cref="UserInformationException">Help id <c>DatabaseDoesNotExist</c>.</exception>
    public async Task<IReadOnlyList<ListedVersion>> VersionsAsync(CancellationToken token)
    {
        using var scope = ConnectionPreset.Use(preset);
        var database = await OpenAsync(token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        return await database.ListFilesetsExtendedAsync(token)
            .Select(x => new ListedVersion(x.Version, x.Time, x.IsFullBackup, null))
            .ToListAsync(token).ConfigureAwait(false);
    }

    /// <summary>The entries of a version, by path.</summary>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>NoBackupAtDate</c>, <c>InvalidVersion</c>.</exception>
    public async Task<IReadOnlyList<ListedEntry>> EntriesAsync(int version, CancellationToken token)
    {
        using var scope = ConnectionPreset.Use(preset);
        var database = await OpenAsync(token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        var fileset = await VersionList.RequireAsync(database, version, token).ConfigureAwait(false);
        var found = await database.SearchEntriesAsync(null, null!, true, [fileset.Key], false, 0, 0, token).ConfigureAwait(false);
        return [.. found.Items.Select(Describe)];
    }

    private static ListedEntry Describe(ISearchFileVersion entry) =>
        entry.IsDirectory ? new ListedEntry(entry.Path, "Folder", -1, null)
        : entry.IsSymlink ? new ListedEntry(entry.Path, "Symlink", -1, null)
        : new ListedEntry(entry.Path, "File", entry.Size, entry.LastModified);

    private Task<LocalListDatabase> OpenAsync(CancellationToken token)
    {
        DatabaseFile.RequireExists(path);
        return LocalListDatabase.CreateAsync(path, null, token);
    }
}
