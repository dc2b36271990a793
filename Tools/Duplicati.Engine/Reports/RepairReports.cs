// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json.Serialization;

namespace Duplicati.Engine.Reports;

/// <summary>What a repair did, or would do in a dry run.</summary>
public sealed record RepairReport
{
    /// <summary>True if nothing was changed.</summary>
    public required bool DryRun { get; init; }

    /// <summary>
    /// The name under which the damaged database is kept of which a new one was made without the remote folder; null if there was none.
    /// </summary>
    public string? OldDatabase { get; init; }

    /// <summary>What of that database could not be read, and is nowhere else.</summary>
    public IReadOnlyList<OwnTableRows> Lost { get; init; } = [];

    /// <summary>What the recreate did; null if there was a database to repair.</summary>
    public RecreateReport? Recreated { get; init; }

    /// <summary>Names of the volumes made anew, in order.</summary>
    public IReadOnlyList<string> Uploaded { get; init; } = [];

    /// <summary>Names of the volumes deleted from the remote folder, in order.</summary>
    public IReadOnlyList<string> Deleted { get; init; } = [];

    /// <summary>Names of index volumes that were unknown and are used again.</summary>
    public IReadOnlyList<string> Adopted { get; init; } = [];

    /// <summary>Names of volumes in the remote folder that the database does not know; they were kept.</summary>
    public IReadOnlyList<string> UnknownFiles { get; init; } = [];

    /// <summary>Number of blocks of missing block volumes found elsewhere.</summary>
    public long RecoveredBlocks { get; init; }

    /// <summary>Number of those not found; versions that need them stay broken until they are purged.</summary>
    public long LostBlocks { get; init; }

    /// <summary>What is still wrong, one text each; empty when all is well.</summary>
    public required IReadOnlyList<string> Problems { get; init; }

    /// <summary>Volumes among the deleted ones that nothing replaces, as was asked for.</summary>
    public IReadOnlyList<DiscardedVolume> Discarded { get; init; } = [];

    /// <summary>
    /// Names that damaged volumes now have in the folder; everything that can be read of them is in other volumes.
    /// </summary>
    public IReadOnlyList<string> KeptDamaged { get; init; } = [];
}

/// <summary>A volume that was deleted without anything in its place.</summary>
/// <param name="Name">Its file name.</param>
/// <param name="Bytes">Its length.</param>
public sealed record DiscardedVolume(string Name, long Bytes)
{
    /// <summary>Whether it could not be opened, so that nobody knows whose it was.</summary>
    public bool IsUnread { get; init; }
}

/// <summary>What a repair may do beyond the harmless.</summary>
public sealed record RepairChoices
{
    /// <summary>In <see cref="CheckVolumes"/>: every volume.</summary>
    public const string ALL = "all";

    /// <summary>
    /// Make missing block volumes anew from source files, their metadata and other volumes. Otherwise a missing one is an error.
    /// </summary>
    public bool RebuildMissingBlockVolumes { get; init; }

    /// <summary>Refuse a block volume of which only a part can be found, instead of keeping that part.</summary>
    public bool DisablePartialRecovery { get; init; }

    /// <summary>
    /// Names of volumes to read although their size is right, or <see cref="ALL"/>. Volumes of another size are always read. Of a damaged
    /// one, all that can be read is kept in a new one, and it is taken out of the way afterwards.
    /// </summary>
    public IReadOnlyCollection<string> CheckVolumes { get; init; } = [];

    /// <summary>
    /// Compare every index of the database with its table, as a deep check does, and not only read their pages: about a minute a gigabyte.
    /// </summary>
    public bool CheckIndexes { get; init; }

    /// <summary>
    /// Delete damaged volumes when all that can be read of them is elsewhere. Otherwise they stay in the folder under another name.
    /// </summary>
    public bool DeleteDamaged { get; init; }

    /// <summary>Go on when the remote folder has versions newer than the database.</summary>
    public bool IgnoreOutdatedDatabase { get; init; }

    /// <summary>
    /// Delete volumes of this backup in the remote folder that the database does not know and cannot use. Otherwise they are kept and
    /// named, as those of another block size or hash always are.
    /// </summary>
    public bool DeleteUnknownFiles { get; init; }

    /// <summary>What somebody was shown of what would be deleted, so that nothing else is; null if nobody was.</summary>
    public IReadOnlyCollection<DiscardedVolume>? Shown { get; init; }

    /// <summary>Whether anything may be deleted that nothing replaces.</summary>
    internal bool Discards => DeleteUnknownFiles || DeleteDamaged;

    /// <summary>Whether this volume may be, if one may.</summary>
    internal bool MayDiscard(DiscardedVolume volume) => Shown?.Contains(volume) ?? true;
}

/// <summary>What a recreate did.</summary>
/// <param name="Filelists">File lists read.</param>
/// <param name="IndexVolumes">Index volumes read.</param>
/// <param name="BlockVolumes">Block volumes that had to be read as well.</param>
/// <param name="Problems">Volumes that could not be read.</param>
/// <param name="Kept">Volumes that were not read, because an interrupted recreate had.</param>
public sealed record RecreateReport(int Filelists, int IndexVolumes, int BlockVolumes, int Problems, int Kept = 0)
{
    /// <summary>Number of entries of file lists that cannot be so and were left out.</summary>
    public long RefusedEntries { get; init; }

    /// <summary>The name under which the database is kept whose place the new one took; null if it is not kept.</summary>
    public string? OldDatabase { get; init; }

    /// <summary>Whether which tables that database had can be told in part only, or not at all.</summary>
    public bool IsOldUnreadable { get; init; }

    /// <summary>Whether anything is lost that only that database had.</summary>
    [JsonIgnore]
    public bool HasLost => IsOldUnreadable || CarriedOver.Any(x => x.Unreadable > 0);

    /// <summary>What was carried over from that database, as it is nowhere else, and what of it could not be read.</summary>
    public IReadOnlyList<OwnTableRows> CarriedOver { get; init; } = [];

    /// <summary>Times (UTC) of versions that database had, and of which the remote folder has no list.</summary>
    public IReadOnlyList<DateTime> LostVersions { get; init; } = [];

    /// <summary>How many of the volumes that could not be read are file lists of which nothing could be taken.</summary>
    internal int UnreadLists { get; init; }

    /// <summary>How many of them are whole, and of another backup.</summary>
    internal int Others { get; init; }
}

/// <summary>What only the database has, of one table.</summary>
/// <param name="Table">The table.</param>
/// <param name="Rows">Rows that could be read and are kept.</param>
/// <param name="Unreadable">Pages that could not be read, or only in part, and rows on other pages; what only these had is lost.</param>
public sealed record OwnTableRows(string Table, long Rows, long Unreadable);

/// <summary>What a restore did.</summary>
/// <param name="Version">The version restored, 0 = newest.</param>
/// <param name="Files">Files written and verified, or found to be there already.</param>
/// <param name="Folders">Folders made.</param>
/// <param name="Symlinks">Symbolic links made.</param>
/// <param name="Bytes">Bytes of those files.</param>
/// <param name="Volumes">Block volumes read.</param>
/// <param name="Failed">Target paths of files that could not be restored completely, and of links that could not be made.</param>
public sealed record RestoreReport(
    long Version,
    long Files,
    long Folders,
    long Symlinks,
    long Bytes,
    int Volumes,
    IReadOnlyList<string> Failed
)
{
    /// <summary>Files and symbolic links that were there and were left as they are.</summary>
    public long Skipped { get; init; }

    /// <summary>Whether the version is complete; otherwise only what it holds could be restored.</summary>
    public bool IsFull { get; init; } = true;

    /// <summary>Files that were compared once more at the end; null if that was not asked for.</summary>
    public long? Verified { get; init; }

    /// <summary>Target paths of files found to have other content than the version, without the failed ones.</summary>
    public IReadOnlyList<string> Different { get; init; } = [];

    /// <summary>
    /// What is wrong with the file list of the version, so that entries are missing; known only where it was read for the restore.
    /// </summary>
    public IReadOnlyList<string> ListProblems { get; init; } = [];

    /// <summary>Whether blocks were found nowhere: of files, which failed then, or of metadata.</summary>
    public bool HasLostBlocks { get; init; }

    /// <summary>What was to be restored and is not in the version.</summary>
    public IReadOnlyList<string> NotFound { get; init; } = [];
}

/// <summary>What a restore takes, and what it does with files that are there already.</summary>
public sealed record RestoreChoices
{
    /// <summary>
    /// Versions, 0 = newest: the newest of them that holds a wanted file is restored. None for the newest complete one.
    /// </summary>
    public IReadOnlyCollection<long> Versions { get; init; } = [];

    /// <summary>Instead of <see cref="Versions"/>: the newest version that is not younger than this time, local or UTC.</summary>
    public DateTime? Time { get; init; }

    /// <summary>Source paths, which take all below them, and patterns; none for all.</summary>
    public IReadOnlyCollection<string> Include { get; init; } = [];

    /// <summary>Source paths, which take all below them, and patterns of what is left out.</summary>
    public IReadOnlyCollection<string> Exclude { get; init; } = [];

    /// <summary>What is done with other files of the same name.</summary>
    public ExistingFileChoice Existing { get; init; }

    /// <summary>Restore also owners, and extended attributes that give rights; those of the files come from the remote folder.</summary>
    public bool Privileges { get; init; }

    /// <summary>Compare every file once more when all is done, those that were there before as well.</summary>
    public bool Verify { get; init; }
}

/// <summary>
/// What a restore does with files in the way that have other content. Those with the right content get their metadata only.
/// </summary>
public enum ExistingFileChoice
{
    /// <summary>They stay; the restored file gets a name of its own beside.</summary>
    Keep,

    /// <summary>They are replaced, each when the restored file is complete.</summary>
    Overwrite,

    /// <summary>They stay, whatever is in them, and nothing is restored for them.</summary>
    Skip,
}

/// <summary>What an upgrade did.</summary>
/// <param name="From">Schema version before.</param>
/// <param name="To">Schema version after.</param>
/// <param name="IndexesCompleted">Indexes that an interrupted operation had left out, and that are there now.</param>
public sealed record UpgradeReport(long From, long To, int IndexesCompleted);

/// <summary>What a vacuum did.</summary>
/// <param name="BytesBefore">Size of the file before.</param>
/// <param name="BytesAfter">Size of the file after.</param>
public sealed record VacuumReport(long BytesBefore, long BytesAfter);

/// <summary>A bug report that was made.</summary>
/// <param name="Path">The file.</param>
/// <param name="Bytes">Its size.</param>
/// <param name="DatabaseBytes">Size of the scrubbed database, in the file or the file itself.</param>
public sealed record BugReportReport(string Path, long Bytes, long DatabaseBytes);
