// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Transfer;

/// <summary>What to do about volumes that are not as the database has them: the same, whoever notices it.</summary>
internal static class VolumeAdvice
{
    // Longer lists are more than anybody types.
    private const int MostNames = 20;

    /// <summary>A volume of a type is missing.</summary>
    internal static string Missing(LocalDatabase database, RemoteVolumeType type) =>
        Missing(type, LostBlocksMark.IsSet(database.Connection));

    /// <summary>The same where it is known whether its blocks have been looked for in vain.</summary>
    internal static string Missing(RemoteVolumeType? type, bool areLost) =>
        type != RemoteVolumeType.Blocks ? Advice.MissingVolume()
        : areLost ? Advice.LostBlocks()
        : Advice.MissingBlockVolumes();

    /// <summary>Volumes are damaged, or have another size.</summary>
    internal static string Damaged(IReadOnlyCollection<string> names) =>
        Advice.DamagedVolume(names.Count > MostNames ? "all" : string.Join(' ', names));

    /// <summary>Everything that is wrong with a folder, one text each.</summary>
    internal static IEnumerable<string> Of(
        LocalDatabase database,
        IEnumerable<RemoteVolumeEntry> missing,
        IReadOnlyCollection<RemoteVolumeEntry> resized,
        bool hasUnknown
    )
    {
        foreach (var type in missing.Except(resized).Select(x => x.Type).Distinct().Order())
            yield return Missing(database, type);
        if (resized.Count > 0)
            yield return Damaged([.. resized.Select(x => x.Name)]);
        if (hasUnknown)
            yield return Advice.DifferentFolder();
    }
}
