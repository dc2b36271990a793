// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.VolumeTest;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;

namespace Duplicati.Engine.Check;

/// <summary>What can be wrong with a remote folder, and what to do about it.</summary>
/// <param name="words">The commands.</param>
/// <param name="lost">What helps, if the blocks of all missing volumes have been looked for in vain; else null.</param>
/// <param name="isUnknown">Whether the folder has what only a recreated database would know.</param>
internal sealed class RemoteFindings(CommandWords words, LostBlocksRemedy? lost, bool isUnknown)
{
    internal const string OTHER_FOLDER = "OtherFolder";

    /// <summary>A folder that holds nothing of the backup.</summary>
    internal CheckFinding Other(string what, string address) =>
        Problem(
            OTHER_FOLDER,
            what,
            address,
            "Nothing can be told about the backup as long as its folder is not looked at.",
            Advice.OtherFolder()
        );

    /// <summary>A volume that is not there.</summary>
    /// <param name="volume">The volume.</param>
    /// <param name="affected">What needs it.</param>
    internal CheckFinding Missing(RemoteVolumeEntry volume, AffectedReport affected)
    {
        var (kind, what) = volume.Type switch
        {
            RemoteVolumeType.Blocks => ("MissingBlockVolume", "A block volume is missing."),
            RemoteVolumeType.Index => ("MissingIndexVolume", "An index volume is missing."),
            _ => ("MissingFileList", "The file list of a version is missing."),
        };
        return Problem(kind, what, volume.Name, Loss(volume, affected), VolumeAdvice.Missing(volume.Type, lost, isUnknown));
    }

    /// <summary>A volume that is there, and is not what it was.</summary>
    /// <param name="volume">The volume.</param>
    /// <param name="what">What is wrong with it.</param>
    /// <param name="affected">What needs it.</param>
    internal CheckFinding Damaged(RemoteVolumeEntry volume, string what, AffectedReport affected) =>
        Problem("DamagedVolume", what, volume.Name, Loss(volume, affected), Advice.DamagedVolume(volume.Name));

    /// <summary>A volume that is there, and cannot be fetched.</summary>
    internal CheckFinding Unread(string volume, RemoteFileUnreadableException problem) =>
        Problem(
            "UnreadVolume",
            problem.What,
            volume,
            "Nothing can be told about it as long as it cannot be read; what needs it cannot be restored.",
            RemoteFileUnreadableException.REMEDY
        );

    /// <summary>A volume that is there, and that complete versions need though its row says that it goes, is gone, or never came.</summary>
    /// <param name="volume">The volume.</param>
    /// <param name="affected">What needs it.</param>
    internal CheckFinding GivenUp(RemoteVolumeEntry volume, AffectedReport affected) =>
        Problem(
            "GivenUpVolume",
            $"The database says {volume.State} of this volume, and complete versions need it.",
            volume.Name,
            $"Operations that change the backup refuse to run. If it were deleted: {Loss(volume, affected)}",
            Differing
        );

    /// <summary>A version of which its list says something else than the database.</summary>
    internal CheckFinding Different(DifferentList list) =>
        Problem(
            "DifferentVersion",
            list.What,
            list.Volume,
            "The database does not know all that can be restored of this version, or knows what is not there. What is backed up lies in the remote folder and is not touched by this.",
            VolumeAdvice.Recreate(lost)
        );

    /// <summary>A volume that was made with another block size or hash.</summary>
    internal CheckFinding OfOther(string volume, string what) =>
        Problem(
            "OtherBackup",
            what,
            volume,
            "It is not damaged. This database cannot use it, and what that backup has is only in its own database and files.",
            Advice.OtherBackup()
        );

    /// <summary>A version without entries, of which nobody knows that it had none.</summary>
    internal CheckFinding EmptyVersion(EmptyVersions.Finding version) =>
        version.Unread is { } unread ? Unread(version.Volume, unread)
        : version.IsOfOther ? OfOther(version.Volume, version.What)
        : Problem(
            "EmptyVersion",
            version.What,
            version.Volume,
            "Its files cannot be listed or restored. Other versions, and the blocks in the remote folder, are not touched by this.",
            version.Remedy
        );

    /// <summary>A volume that the database does not know.</summary>
    internal CheckFinding Extra(string name) =>
        Problem(
            "UnknownVolume",
            "The database does not know this volume.",
            name,
            "It may hold a version or blocks that this database knows nothing of; what the database knows is not touched by it.",
            Differing
        );

    private string Differing => isUnknown ? VolumeAdvice.Recreate(lost) : Advice.DifferentFolder();

    private const string Index = "All files can be restored. Only a recreate of the database would have to read block volumes instead.";

    private static string Loss(RemoteVolumeEntry volume, AffectedReport affected) =>
        volume.Type switch
        {
            RemoteVolumeType.Blocks => Blocks(affected),
            RemoteVolumeType.Index => Index,
            _ => List(affected),
        };

    private static string Blocks(AffectedReport affected) =>
        affected.Files.Count == 0
            ? "No file of any version needs it."
            : $"It has parts of {SizeText.Count(affected.Files.Count, "file")} in {SizeText.Count(affected.Versions.Count, "version")}, first {affected.Files[0]}; all others can be restored.";

    private static string List(AffectedReport affected) =>
        $"As long as the database is there, the version {string.Join(", ", affected.Versions.Select(x => x.Time.ToString("u", System.Globalization.CultureInfo.InvariantCulture)))} can be restored; without it, it is lost.";

    private CheckFinding Problem(string kind, string what, string where, string meaning, string mend) =>
        new(kind, FindingSeverity.Problem, what, where, meaning, mend, words.First([mend]));
}
