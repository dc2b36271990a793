// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Transfer;

/// <summary>
/// Whether a remote folder is the one of a backup at all: asked before anything is written to it or to the database, and before volumes are
/// called missing. A mistyped address, or a disk that is not mounted, looks like the loss of everything.
/// </summary>
internal static class OtherFolder
{
    /// <summary>Help id of a folder that holds nothing that the database knows.</summary>
    internal const string HELP_ID = "RemoteFolderEmptyWithPrefix";

    // Remotevolume in full.
    private const string COMPLETE = """
        SELECT "Name", CASE WHEN "Type" = 'Files' THEN "Size" ELSE -1 END FROM "Remotevolume" WHERE "State" IN ('Uploaded', 'Verified')
        """;

    /// <summary>Fails if a database knows volumes, and the folder holds none of them.</summary>
    /// <exception cref="UserInformationException">Help id <see cref="HELP_ID"/>.</exception>
    internal static async Task RefuseAsync(LocalDatabase database, IRemoteFolder folder, CancellationToken token)
    {
        var known = await database.GetRemoteVolumesAsync(token).ToListAsync(token).ConfigureAwait(false);
        await OperationBegin.LetOthersInAsync(database, token).ConfigureAwait(false);
        if (known.Exists(IsComplete))
            Refuse(known, await folder.ListAsync(token).ConfigureAwait(false), folder.Address);
    }

    /// <summary>The same where both are known already.</summary>
    /// <exception cref="UserInformationException">Help id <see cref="HELP_ID"/>.</exception>
    internal static void Refuse(IReadOnlyCollection<RemoteVolumeEntry> known, IEnumerable<RemoteFile> listed, string address) =>
        Refuse(known.Count(IsComplete), known.Select(x => (x.Name, x.Type == RemoteVolumeType.Files ? x.Size : -1)), listed, address);

    /// <summary>The same by the names and sizes alone, which can be read where states or types of other rows are none.</summary>
    /// <exception cref="UserInformationException">Help id <see cref="HELP_ID"/>.</exception>
    internal static void Refuse(SqliteConnection connection, IEnumerable<RemoteFile> listed, string address)
    {
        var known = Complete(connection);
        Refuse(known.Count, known, listed, address);
    }

    private static void Refuse(int complete, IEnumerable<(string Name, long Size)> known, IEnumerable<RemoteFile> listed, string address)
    {
        if (complete > 0 && !HasAny(known, listed))
            throw new UserInformationException(
                $"The database knows {SizeText.Count(complete, "volume")}, and none is at {address}; is it the right folder, and is it there?",
                HELP_ID
            );
    }

    private static List<(string Name, long Size)> Complete(SqliteConnection connection) =>
        [.. DumpQuery.Rows(connection, COMPLETE, x => (x.GetString(0), x.NumberOrNull(1) ?? -1))];

    // The names of block and index volumes are random. File lists of two backups that begin in one second have one name.
    private static bool HasAny(IEnumerable<(string Name, long Size)> known, IEnumerable<RemoteFile> listed)
    {
        var there = listed.ToDictionary(x => x.Name, StringComparer.Ordinal);
        return known.Any(x => there.TryGetValue(x.Name, out var file) && (x.Size < 0 || file.HasSize(x.Size)));
    }

    /// <summary>Fails if there is a backup in the folder that a new one would be made in. A folder that does not exist has none.</summary>
    /// <exception cref="UserInformationException">Help id <c>ExtraRemoteFiles</c>.</exception>
    internal static async Task RefuseTakenAsync(IRemoteFolder folder, string prefix, CancellationToken token)
    {
        try
        {
            var volumes = (await folder.ListAsync(token).ConfigureAwait(false))
                .Where(x => VolumeName.OfBackup(x.Name, prefix) is not null)
                .ToList();
            if (volumes.Count > 0)
                throw new UserInformationException(
                    $"At {folder.Address} no database here knows {SizeText.Count(volumes.Count, "volume")}, first {volumes.MinBy(x => x.Name, StringComparer.Ordinal)!.Name}. {Advice.NoDatabase()}",
                    "ExtraRemoteFiles"
                );
        }
        catch (RemoteFolderMissingException)
        {
            // It is made when the backup begins.
        }
    }

    /// <summary>
    /// Fails if a folder holds none of the volumes that the database knows which is to be replaced by one of the folder. One that cannot be
    /// read says nothing.
    /// </summary>
    /// <exception cref="UserInformationException">Help id <see cref="HELP_ID"/>.</exception>
    internal static async Task RefuseReplacementAsync(EngineOptions options, IRemoteFolder folder, CancellationToken token)
    {
        var known = await CompleteInAsync(options, token).ConfigureAwait(false);
        if (known.Count > 0 && !HasAny(known, await folder.ListAsync(token).ConfigureAwait(false)))
            throw new UserInformationException(
                $"The database {options.DatabasePath} knows {SizeText.Count(known.Count, "volume")}, and none is at {folder.Address}; is it the right folder? {Advice.OtherFolder()} To make a database of this folder all the same, move this one away first.",
                HELP_ID
            );
    }

    /// <summary>
    /// The prefix of a database that is made in place of another one: a backup keeps its prefix, also where others share its folder.
    /// </summary>
    /// <param name="options">What the operation works on.</param>
    /// <param name="replaced">The other one.</param>
    /// <param name="folder">The remote folder.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>Null if nothing tells it, and the folder holds volumes of one at most.</returns>
    /// <exception cref="UserInformationException">Help id <c>PrefixChangeUnsupported</c>: another was given, or one has to be.</exception>
    internal static async Task<string?> PrefixAsync(EngineOptions options, string replaced, IRemoteFolder folder, CancellationToken token)
    {
        var known = await ReadAsync(replaced, options.Preset, ReadingMode.AsItIs, StoredSettings.PrefixesOf, token).ConfigureAwait(false);
        if (options.Prefix is { } given)
            return known.Count == 0 || known.Contains(given, StringComparer.Ordinal)
                ? given
                : throw new UserInformationException(
                    $"The volumes of the database {replaced} have the prefix {known[0]}, {given} was given. Leave --prefix out. To make a database of the other backup all the same, move this one away first.",
                    "PrefixChangeUnsupported"
                );
        if (known.Count > 0)
            return known[0];
        var there = VolumeName.Prefixes((await folder.ListAsync(token).ConfigureAwait(false)).Select(x => x.Name));
        return there.Count < 2
            ? null
            : throw new UserInformationException(
                $"The database {replaced} does not tell the prefix of its volumes, and those at {folder.Address} have several. Give --prefix for its own: {string.Join(", ", there)}.",
                "PrefixChangeUnsupported"
            );
    }

    private static Task<IReadOnlyList<(string Name, long Size)>> CompleteInAsync(EngineOptions options, CancellationToken token) =>
        ReadAsync<(string, long)>(options.DatabasePath, options.Preset, ReadingMode.AnyVersion, Complete, token);

    // Nothing of a file that is damaged, or no database of ours. One that is locked, or on a disk that fails, may be sound.
    private static async Task<IReadOnlyList<T>> ReadAsync<T>(
        string path,
        string preset,
        ReadingMode mode,
        Func<SqliteConnection, IReadOnlyList<T>> read,
        CancellationToken token
    )
    {
        try
        {
            return await DatabaseReading.RunAsync(path, preset, Read, token, mode).ConfigureAwait(false);
        }
        catch (Exception ex) when (ex is UserInformationException || (ex is SqliteException failure && DatabaseIntegrity.IsDamage(failure)))
        {
            return [];
        }

        IReadOnlyList<T> Read(string file)
        {
            using var reading = new ReadingConnection(file);
            return read(reading.Connection);
        }
    }

    private static bool IsComplete(RemoteVolumeEntry volume) => volume.State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified;
}
