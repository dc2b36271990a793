// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Recreate;

/// <summary>
/// What index volumes say of block volumes and cannot be so: of one that is there with another size, or of which another index volume says
/// something else. It is recorded as of a volume that is not there, so that the volumes themselves are read and tell what they hold; what
/// none of them has is then given to the volume that was named, if that cannot be read.
/// </summary>
/// <remarks>
/// The names of the rows hold a slash, which no volume's has: they mean the same to whoever goes on with an interrupted recreate.
/// </remarks>
/// <param name="database">The database.</param>
/// <param name="find">Finds a file of the remote folder.</param>
/// <param name="progress">Told of them.</param>
internal sealed class ContestedVolumes(LocalRecreateDatabase database, Func<string, RemoteFile?> find, IEngineProgress progress)
{
    // Each statement reads its table in full, while the indexes by volume are left out: what is given back for each contested volume, all
    // else once for all of them.
    /// <summary>A volume is said to be another one, which is not there. Row id.</summary>
    private const string RENAME = """UPDATE "Remotevolume" SET "Name" = $name, "State" = 'Temporary' WHERE "ID" = $id""";

    /// <summary>Block_IndexByVolumeId, or Block in full.</summary>
    private const string GIVE_BLOCKS = """UPDATE "Block" SET "VolumeID" = $named WHERE "VolumeID" = $id""";

    /// <summary>What volumes are said to hold is in none, so that it is looked for. As above.</summary>
    private const string FORGET_BLOCKS = """UPDATE "Block" SET "VolumeID" = -1 WHERE "VolumeID" IN (SELECT "value" FROM json_each($ids))""";

    /// <summary>The same for what versions need. BlocksetEntry in full, a row id of Block each; BlocklistHash and Block in full.</summary>
    private const string SEEK_BLOCKS = """
        UPDATE "Block" SET "VolumeID" = -1
        WHERE "VolumeID" IN (SELECT "value" FROM json_each($ids)) AND (
            "ID" IN (
                SELECT e."BlockID" FROM "BlocksetEntry" e CROSS JOIN "Block" b ON b."ID" = e."BlockID"
                WHERE b."VolumeID" IN (SELECT "value" FROM json_each($ids)))
            OR "Hash" IN (SELECT "Hash" FROM "BlocklistHash"))
        """;

    /// <summary>IndexBlockLink in full.</summary>
    private const string GIVE_LINKS = """UPDATE "IndexBlockLink" SET "BlockVolumeID" = $named WHERE "BlockVolumeID" = $id""";

    /// <summary>
    /// Nothing is left of volumes but their blocks, which then are in none. Row id, IndexBlockLink and DuplicateBlock in full.
    /// </summary>
    private static readonly string[] s_forget = [FORGET_BLOCKS, FORGET_LINKS, FORGET_COPIES, FORGET_VOLUME];

    private const string FORGET_LINKS = """DELETE FROM "IndexBlockLink" WHERE "BlockVolumeID" IN (SELECT "value" FROM json_each($ids))""";

    private const string FORGET_COPIES = """DELETE FROM "DuplicateBlock" WHERE "VolumeID" IN (SELECT "value" FROM json_each($ids))""";

    private const string FORGET_VOLUME = """DELETE FROM "Remotevolume" WHERE "ID" IN (SELECT "value" FROM json_each($ids))""";

    private const char SEPARATOR = '/';

    private int m_told;

    /// <summary>The name of the row under which the blocks are recorded that an index volume describes; it is registered.</summary>
    /// <param name="index">The index volume.</param>
    /// <param name="volume">What it describes.</param>
    /// <param name="token">Cancels.</param>
    internal async Task<string> RowOfAsync(string index, ParsedIndex.Volume volume, CancellationToken token)
    {
        if (string.IsNullOrEmpty(volume.Hash) || find(volume.Name) is not { } file)
            return volume.Name;
        var known = await database.GetRemoteVolumeAsync(volume.Name, token).ConfigureAwait(false);
        var isSaidOtherwise = known.State == RemoteVolumeState.Verified && !string.IsNullOrEmpty(known.Hash) && known.Hash != volume.Hash;
        var displaced = Row(volume.Name, volume.Name);
        var isContested = await database.GetRemoteVolumeIDAsync(displaced, token).ConfigureAwait(false) >= 0;
        if (file.HasSize(volume.Length) && !isSaidOtherwise && !isContested)
            return volume.Name;

        Tell(index, volume.Name);
        // Nobody knows which of two is right that could both be so.
        if (file.HasSize(volume.Length) && isSaidOtherwise)
        {
            DumpQuery.Execute(database.Connection, RENAME, ("$id", known.ID), ("$name", displaced));
            await database
                .RegisterRemoteVolumeAsync(volume.Name, RemoteVolumeType.Blocks, file.Size, RemoteVolumeState.Uploaded, token)
                .ConfigureAwait(false);
        }

        var row = Row(volume.Name, index);
        if (await database.GetRemoteVolumeIDAsync(row, token).ConfigureAwait(false) < 0)
            await database
                .RegisterRemoteVolumeAsync(row, RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, token)
                .ConfigureAwait(false);
        return row;
    }

    /// <summary>
    /// A volume cannot be read whole: what index volumes say of it and no other volume had is taken for its content after all. Does not
    /// commit.
    /// </summary>
    internal async Task GiveBackAsync(string volume, CancellationToken token)
    {
        await GiveBackAsync(await RowsAsync(volume + SEPARATOR, token).ConfigureAwait(false), token).ConfigureAwait(false);
    }

    /// <summary>
    /// What versions need of that which is said to be in volumes whose content is known by now, and is not in them, is in none, so that
    /// the volumes that are left are looked through for it. Does not commit.
    /// </summary>
    internal async Task DropRefutedAsync(CancellationToken token)
    {
        var refuted = new List<RemoteVolumeEntry>();
        foreach (var row in await RowsAsync("", token).ConfigureAwait(false))
        {
            if (IsKnown(await NamedAsync(row, token).ConfigureAwait(false)))
                refuted.Add(row);
        }

        Run(refuted, SEEK_BLOCKS);
    }

    /// <summary>
    /// All volumes were read that may hold what is contested: what is left is lost, unless the volume was not read. Does not commit.
    /// </summary>
    internal async Task SettleAsync(CancellationToken token)
    {
        await GiveBackAsync(await RowsAsync("", token).ConfigureAwait(false), token).ConfigureAwait(false);
    }

    private async Task<List<RemoteVolumeEntry>> RowsAsync(string prefix, CancellationToken token) =>
        await database
            .GetRemoteVolumesAsync(token)
            .Where(x =>
                x.Type == RemoteVolumeType.Blocks
                && x.Name.Contains(SEPARATOR, StringComparison.Ordinal)
                && x.Name.StartsWith(prefix, StringComparison.Ordinal)
            )
            .ToListAsync(token)
            .ConfigureAwait(false);

    private async Task GiveBackAsync(List<RemoteVolumeEntry> rows, CancellationToken token)
    {
        foreach (var row in rows)
            await TryGiveAsync(row, token).ConfigureAwait(false);
        Run(rows, s_forget);
    }

    // For all of them together: each statement may read its tables in full.
    private void Run(List<RemoteVolumeEntry> rows, params string[] statements)
    {
        var ids = $"[{string.Join(',', rows.Select(x => x.ID))}]";
        foreach (var sql in rows.Count > 0 ? statements : [])
            DumpQuery.Execute(database.Connection, sql, ("$ids", ids));
    }

    private async Task TryGiveAsync(RemoteVolumeEntry row, CancellationToken token)
    {
        var named = await NamedAsync(row, token).ConfigureAwait(false);
        if (!IsKnown(named) && await RecordedVolume.IsOfAsync(database, row.ID, token).ConfigureAwait(false))
        {
            DumpQuery.Execute(database.Connection, GIVE_BLOCKS, ("$id", row.ID), ("$named", named.ID));
            DumpQuery.Execute(database.Connection, GIVE_LINKS, ("$id", row.ID), ("$named", named.ID));
            await database.UpdateRemoteVolumeAsync(named.Name, RemoteVolumeState.Verified, row.Size, row.Hash, token).ConfigureAwait(false);
        }
    }

    private Task<RemoteVolumeEntry> NamedAsync(RemoteVolumeEntry row, CancellationToken token) =>
        database.GetRemoteVolumeAsync(row.Name[..row.Name.IndexOf(SEPARATOR, StringComparison.Ordinal)], token);

    // One that was read whole, or that another index volume describes as it is, does not hold what is said otherwise.
    private static bool IsKnown(RemoteVolumeEntry named) => !string.IsNullOrEmpty(named.Hash);

    private static string Row(string volume, string index) => volume + SEPARATOR + index;

    private void Tell(string index, string volume)
    {
        var text = $"{index} describes {volume} otherwise than it is; the volume itself is read if anything is missing";
        if (m_told++ == 0)
            progress.Warning(text);
        else
            progress.Message(text);
    }
}
