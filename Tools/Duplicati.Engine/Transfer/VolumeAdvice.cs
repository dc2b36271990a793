// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Transfer;

/// <summary>What to do about volumes that are not as the database has them: the same, whoever notices it.</summary>
internal static class VolumeAdvice
{
    // Longer lists are more than anybody types.
    private const int MostNames = 20;

    /// <summary>
    /// A block volume among those in the folder that the database does not know, which may hold what missing ones held: the database is of
    /// another time than the folder. Null if there is none, or no block volume is missing.
    /// </summary>
    internal static string? Unknown(IEnumerable<RemoteVolumeEntry> missing, IEnumerable<RemoteFile> unknown) =>
        missing.Any(x => x.Type == RemoteVolumeType.Blocks)
            ? unknown.Select(x => x.Name).FirstOrDefault(x => VolumeName.Parse(x)?.Type == RemoteVolumeType.Blocks)
            : null;

    /// <summary>The newest version of which a folder has a list that the database does not know; null if there is none.</summary>
    internal static DateTime? NewestUnknown(IEnumerable<RemoteFile> unknown) =>
        unknown.Select(x => VolumeName.Parse(x.Name)).Where(x => x?.Type == RemoteVolumeType.Files).Max(x => x?.Time);

    /// <summary>Whether there are such ones in a folder, where it is known that others are missing.</summary>
    internal static async Task<bool> HasUnknownBlocksAsync(
        LocalDatabase database,
        IRemoteFolder folder,
        string prefix,
        CancellationToken token
    )
    {
        var files = await folder.ListAsync(token).ConfigureAwait(false);
        var known = await database
            .GetRemoteVolumesAsync(token)
            .Where(x => x.State is not (RemoteVolumeState.Deleting or RemoteVolumeState.Deleted))
            .Select(x => x.Name)
            .ToHashSetAsync(StringComparer.Ordinal, token)
            .ConfigureAwait(false);
        return files.Any(x => VolumeName.OfBackup(x.Name, prefix)?.Type == RemoteVolumeType.Blocks && !known.Contains(x.Name));
    }

    /// <summary>Block volumes are missing.</summary>
    /// <param name="database">The database.</param>
    /// <param name="missing">Those, and what else is missing.</param>
    /// <param name="isUnknown">Whether what they held may be in volumes that it does not know.</param>
    internal static string MissingBlocks(LocalDatabase database, IEnumerable<RemoteVolumeEntry> missing, bool isUnknown)
    {
        var lost = Lost(database, missing);
        return Missing(RemoteVolumeType.Blocks, lost, IsForRecreate(lost, isUnknown));
    }

    /// <summary>
    /// Whether a recreate helps where block volumes are missing and there are some that the database does not know. Only when what they
    /// held has been looked for elsewhere: a recreate forgets what is in neither, which the sources may have. The repair that is advised
    /// before tells whether the unknown ones hold it.
    /// </summary>
    /// <param name="lost">What helps, if their blocks have been looked for in vain; else null.</param>
    /// <param name="isUnknown">Whether there are block volumes that it does not know.</param>
    internal static bool IsForRecreate(LostBlocksRemedy? lost, bool isUnknown) => isUnknown && lost is not null;

    /// <summary>A volume of a type is missing.</summary>
    /// <param name="type">The type.</param>
    /// <param name="lost">What helps, if its blocks have been looked for in vain; else null.</param>
    /// <param name="isForRecreate">Whether a recreate helps, as the folder has what only a recreated database would know.</param>
    internal static string Missing(RemoteVolumeType? type, LostBlocksRemedy? lost, bool isForRecreate) =>
        isForRecreate ? Recreate(lost)
        : type != RemoteVolumeType.Blocks ? Advice.MissingVolume()
        : lost?.Text ?? Advice.MissingBlockVolumes();

    /// <summary>A recreate helps. It forgets blocks that only a source has that was not there when they were looked for.</summary>
    /// <param name="lost">What helps else, if the blocks of missing volumes have been looked for in vain; else null.</param>
    internal static string Recreate(LostBlocksRemedy? lost) => lost?.OfRecreate ?? Advice.RecreateDatabase();

    /// <summary>The same, whatever is missing.</summary>
    internal static string Recreate(LocalDatabase database) => Recreate(Lost(database, []));

    /// <summary>What helps, if the blocks of the block volumes among those missing have been looked for in vain; else null.</summary>
    internal static LostBlocksRemedy? Lost(LocalDatabase database, IEnumerable<RemoteVolumeEntry> missing) =>
        LostBlocksMark.RemedyOf(database.Connection, missing.Where(x => x.Type == RemoteVolumeType.Blocks).Select(x => x.Name));

    /// <summary>Volumes are damaged, or have another size.</summary>
    internal static string Damaged(IReadOnlyCollection<string> names) =>
        Advice.DamagedVolume(names.Count > MostNames ? "all" : string.Join(' ', names));

    /// <summary>Everything that is wrong with a folder, one text each.</summary>
    internal static IEnumerable<string> Of(
        LocalDatabase database,
        IEnumerable<RemoteVolumeEntry> missing,
        IReadOnlyCollection<RemoteVolumeEntry> resized,
        IEnumerable<RemoteFile> unknown
    )
    {
        var lost = missing.Except(resized).ToList();
        var remedy = Lost(database, lost);
        var isForRecreate = IsForRecreate(remedy, Unknown(lost, unknown) is not null);
        foreach (var type in lost.Select(x => x.Type).Distinct().Order())
            yield return Missing(type, remedy, isForRecreate);
        if (resized.Count > 0)
            yield return Damaged([.. resized.Select(x => x.Name)]);
    }
}
