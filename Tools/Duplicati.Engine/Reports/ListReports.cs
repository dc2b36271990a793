// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main;

namespace Duplicati.Engine.Reports;

/// <summary>One version of a backup.</summary>
/// <param name="Version">0 = newest.</param>
/// <param name="Time">When it was made (UTC).</param>
/// <param name="IsFull">Whether it is complete; null where the listing does not know.</param>
/// <param name="Volume">Its file list volume, or null.</param>
/// <param name="Entries">Files, folders and symbolic links in it; null where the listing does not know.</param>
/// <param name="Bytes">Bytes of its files; null where the listing does not know.</param>
/// <param name="OwnBytes">Bytes of contents that no other version has; null where the listing does not know.</param>
/// <param name="Label">The user's text; null without one, or where the listing does not know.</param>
public sealed record ListedVersion(
    long Version,
    DateTime Time,
    bool? IsFull,
    string? Volume,
    long? Entries = null,
    long? Bytes = null,
    long? OwnBytes = null,
    string? Label = null
);

/// <summary>One entry of a version.</summary>
/// <param name="Path">Source path; folders end with a separator.</param>
/// <param name="Type">File, Folder or Symlink.</param>
/// <param name="Size">Bytes of a file; -1 for others.</param>
/// <param name="Time">Last change of a file (UTC); null where it is not known.</param>
public sealed record ListedEntry(string Path, string Type, long Size, DateTime? Time)
{
    internal const string File = "File";
    internal const string Folder = "Folder";
    internal const string Symlink = "Symlink";

    internal static ListedEntry Of(IListFileVersion entry, string path) =>
        Of(path, entry.IsDirectory, entry.IsSymlink, entry.Size, entry.LastModified);

    internal static ListedEntry Of(IListFolderEntry entry) =>
        Of(entry.Path, entry.IsDirectory, entry.IsSymlink, entry.Size, entry.LastModified);

    // A database that began at an old version of the schema has no times: 0 ticks, not a day in year 1.
    private static ListedEntry Of(string path, bool isDirectory, bool isSymlink, long size, DateTime time) =>
        isDirectory ? new ListedEntry(path, Folder, -1, null)
        : isSymlink ? new ListedEntry(path, Symlink, -1, null)
        : new ListedEntry(path, File, size, time.Ticks == 0 ? null : time);
}

/// <summary>What to search for.</summary>
public sealed record SearchRequest
{
    /// <summary>
    /// Texts that occur in the path, or patterns with <c>*</c>, <c>?</c> and <c>[…]</c> that fit all of it; none for everything.
    /// </summary>
    public IReadOnlyList<string> Patterns { get; init; } = [];

    /// <summary>The same for what is not wanted.</summary>
    public IReadOnlyList<string> Exclusions { get; init; } = [];

    /// <summary>Folders, with or without a separator at the end: only what lies directly in them; none for everywhere.</summary>
    public IReadOnlyList<string> Folders { get; init; } = [];

    /// <summary>Versions to search, 0 = newest; none for all.</summary>
    public IReadOnlyList<long> Versions { get; init; } = [];

    /// <summary>Whether a and A differ.</summary>
    public bool CaseSensitive { get; init; }

    /// <summary>Whether names stored with the metadata fit as well.</summary>
    public bool Metadata { get; init; }

    /// <summary>Entries to leave out at the beginning; needs a limit.</summary>
    public long Offset { get; init; }

    /// <summary>Entries to give at most; 0 for all.</summary>
    public long Limit { get; init; }
}

/// <summary>What a search found.</summary>
/// <param name="Total">Entries found in all.</param>
/// <param name="Offset">How many of them come before those given.</param>
/// <param name="Entries">The entries, by path, then the oldest version first.</param>
public sealed record SearchReport(long Total, long Offset, IReadOnlyList<FoundEntry> Entries);

/// <summary>An entry of one version.</summary>
/// <param name="Path">Source path; folders end with a separator.</param>
/// <param name="Version">0 = newest.</param>
/// <param name="VersionTime">When the version was made (UTC).</param>
/// <param name="Type">File, Folder or Symlink.</param>
/// <param name="Size">Bytes of a file; -1 for others.</param>
/// <param name="Time">Last change of a file (UTC); null where it is not known.</param>
public sealed record FoundEntry(string Path, long Version, DateTime VersionTime, string Type, long Size, DateTime? Time);

/// <summary>Where to begin: with one of these.</summary>
public sealed record FindRequest
{
    /// <summary>The hash of a block, as the database has it.</summary>
    public string? Block { get; init; }

    /// <summary>The hash of a whole file, as the database has it.</summary>
    public string? FileHash { get; init; }

    /// <summary>The name of a volume.</summary>
    public string? Volume { get; init; }

    /// <summary>The path of a file, a folder or a link, as it was backed up.</summary>
    public string? Path { get; init; }

    /// <summary>A version, 0 = newest.</summary>
    public long? Version { get; init; }
}

/// <summary>What was found, without what uses it.</summary>
/// <param name="Blocks">Where the block is; several if there are copies.</param>
/// <param name="Volume">The volume, or the file list of the version.</param>
/// <param name="Contents">The contents that the path had, or that have the hash.</param>
public sealed record FindReport(IReadOnlyList<FoundBlock> Blocks, FoundVolume? Volume, IReadOnlyList<FoundContent> Contents);

/// <summary>A place of a block.</summary>
/// <param name="Hash">Its hash.</param>
/// <param name="Size">Its bytes.</param>
/// <param name="Volume">The volume it is in; null if none is recorded.</param>
/// <param name="State">The state of that volume.</param>
/// <param name="Place">What counts it.</param>
public sealed record FoundBlock(string Hash, long Size, string? Volume, string? State, BlockPlace Place);

/// <summary>What a place of a block is.</summary>
public enum BlockPlace
{
    /// <summary>The one that restores read.</summary>
    Live,

    /// <summary>A further one.</summary>
    Copy,

    /// <summary>Waste, until the same block is needed again or a compact comes.</summary>
    Deleted,
}

/// <summary>A volume.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Type">What it holds.</param>
/// <param name="State">What the database says of it.</param>
/// <param name="Size">Bytes; null if not known.</param>
/// <param name="Hash">Its hash; null if not known.</param>
/// <param name="Version">Of a file list: its version, 0 = newest; null for others.</param>
/// <param name="VersionTime">When that was made (UTC).</param>
/// <param name="Linked">Of block volumes those that describe it, of index volumes those that it describes.</param>
public sealed record FoundVolume(
    string Name,
    string Type,
    string State,
    long? Size,
    string? Hash,
    long? Version,
    DateTime? VersionTime,
    IReadOnlyList<string> Linked
);

/// <summary>A content.</summary>
/// <param name="Hash">The hash of the whole.</param>
/// <param name="Length">Bytes.</param>
public sealed record FoundContent(string Hash, long Length);

/// <summary>One use of one block.</summary>
/// <param name="Path">Who uses it.</param>
/// <param name="Versions">In which versions, such as <c>0,2-4</c>; empty if in none that is listed.</param>
/// <param name="Role">What for.</param>
/// <param name="Offset">Where in the file, or in the metadata; of a list of blocks where in the file the first of them is.</param>
/// <param name="Block">The hash of the block.</param>
/// <param name="Size">Its bytes.</param>
/// <param name="Volume">The volume it is in; null if none is recorded.</param>
public sealed record FoundUse(string Path, string Versions, BlockRole Role, long Offset, string Block, long Size, string? Volume);

/// <summary>What a block is used for.</summary>
public enum BlockRole
{
    /// <summary>A part of a file.</summary>
    Content,

    /// <summary>A part of metadata.</summary>
    Metadata,

    /// <summary>The hashes of a row of blocks of a file.</summary>
    List,
}

/// <summary>Which volumes to list, and in which order.</summary>
public sealed record VolumesRequest
{
    /// <summary>Only those of these states; none for all.</summary>
    public IReadOnlyCollection<RemoteVolumeState> States { get; init; } = [];

    /// <summary>Only those of these types; none for all.</summary>
    public IReadOnlyCollection<RemoteVolumeType> Types { get; init; } = [];

    /// <summary>What comes first.</summary>
    public VolumeOrder Order { get; init; }
}

/// <summary>The order of volumes.</summary>
public enum VolumeOrder
{
    /// <summary>By name.</summary>
    Name,

    /// <summary>The largest first.</summary>
    Size,

    /// <summary>Those first that were changed longest ago.</summary>
    Age,

    /// <summary>Those first with most waste.</summary>
    Waste,

    /// <summary>The least tested first, as a test takes them.</summary>
    Tests,
}

/// <summary>The volumes that a database knows.</summary>
/// <param name="Volumes">They.</param>
/// <param name="Unsettled">What it means that some of them are on their way, and what settles it; null if none is, or if only the next
/// backup can.</param>
public sealed record VolumesReport(IReadOnlyList<ListedVolume> Volumes, CheckFinding? Unsettled);

/// <summary>A volume.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Type">What it holds.</param>
/// <param name="State">What the database says of it.</param>
/// <param name="Size">Bytes; null if not known.</param>
/// <param name="Changed">When the operation began that changed its row last (UTC).</param>
/// <param name="ChangedBy">That operation.</param>
/// <param name="LiveBytes">Of a block volume: bytes of blocks in use, before compression.</param>
/// <param name="WastedBytes">Of a block volume: bytes of blocks that nothing uses.</param>
/// <param name="Tests">How often it was tested, as tests count: one that is tested first joins those tested most.</param>
/// <param name="LastRead">When it was fetched last (UTC), as far as the log of the last month tells; null if it does not.</param>
/// <param name="Why">Why it is in a state that is not the end of anything; null for others.</param>
public sealed record ListedVolume(
    string Name,
    string Type,
    string State,
    long? Size,
    DateTime? Changed,
    string? ChangedBy,
    long? LiveBytes,
    long? WastedBytes,
    long Tests,
    DateTime? LastRead,
    string? Why
);

/// <summary>The local databases that were found.</summary>
/// <param name="Folder">The data folder.</param>
/// <param name="Databases">They, by path.</param>
/// <param name="Problems">What could not be read of what names databases.</param>
public sealed record DatabasesReport(string Folder, IReadOnlyList<FoundDatabase> Databases, IReadOnlyList<string> Problems);

/// <summary>A local database.</summary>
/// <param name="Path">Where it is.</param>
/// <param name="Kind">What it is.</param>
/// <param name="Name">The name of the backup; null if nothing tells it.</param>
/// <param name="Remote">The remote folder without users, passwords and options; null if nothing tells it, or only encrypted.</param>
/// <param name="KnownBy">What names it.</param>
/// <param name="Size">Bytes, with its log; 0 if it is not there.</param>
/// <param name="Schema">The version of its schema; null if it has none.</param>
/// <param name="Versions">How many versions of the backup it has.</param>
/// <param name="LastVersion">When the last one was made (UTC).</param>
/// <param name="State">What is unfinished in it; empty if nothing.</param>
/// <param name="Problem">Why it cannot be used; null if it can.</param>
public sealed record FoundDatabase(
    string Path,
    DatabaseKind Kind,
    string? Name,
    string? Remote,
    IReadOnlyList<DatabaseSource> KnownBy,
    long Size,
    long? Schema,
    long? Versions,
    DateTime? LastVersion,
    IReadOnlyList<string> State,
    string? Problem
);

/// <summary>What a file is.</summary>
public enum DatabaseKind
{
    /// <summary>Not there, or not to be read.</summary>
    Unknown,

    /// <summary>The database of a backup.</summary>
    Backup,

    /// <summary>The settings of the server.</summary>
    Server,

    /// <summary>What a synchronization of remote folders knows.</summary>
    Sync,
}

/// <summary>What names a database.</summary>
public enum DatabaseSource
{
    /// <summary>The server's database.</summary>
    Server,

    /// <summary>The file dbconfig.json of the command line.</summary>
    CommandLine,

    /// <summary>It lies in the folder.</summary>
    Folder,
}

/// <summary>What would be lost with some remote volumes.</summary>
/// <param name="Versions">Versions with content in them, the newest first.</param>
/// <param name="Files">Paths with content or metadata in them, by path.</param>
/// <param name="Messages">What the log says of them, the oldest first.</param>
/// <param name="Volumes">For volumes that are file lists: the block volumes that their versions need, by name.</param>
/// <param name="Unknown">Names that the database does not know.</param>
public sealed record AffectedReport(
    IReadOnlyList<AffectedVersion> Versions,
    IReadOnlyList<string> Files,
    IReadOnlyList<LogMessage> Messages,
    IReadOnlyList<string> Volumes,
    IReadOnlyList<string> Unknown
);

/// <summary>A version of a backup.</summary>
/// <param name="Version">0 = newest.</param>
/// <param name="Time">When it was made (UTC).</param>
public sealed record AffectedVersion(long Version, DateTime Time);

/// <summary>A message of the log.</summary>
/// <param name="Time">When it was written (UTC).</param>
/// <param name="Text">The text.</param>
public sealed record LogMessage(DateTime Time, string Text);

/// <summary>How one version differs from another. Sizes are those of files.</summary>
/// <param name="From">The version to start from.</param>
/// <param name="To">The version it is compared with.</param>
/// <param name="Added">What only the second has.</param>
/// <param name="Deleted">What only the first has.</param>
/// <param name="Modified">What both have, with another content, metadata or type.</param>
/// <param name="AddedBytes">Bytes of what was added.</param>
/// <param name="DeletedBytes">Bytes of what was deleted.</param>
/// <param name="Changes">Each change: added, then deleted, then modified entries; folders, then symbolic links, then files.</param>
public sealed record ChangesReport(
    ComparedVersion From,
    ComparedVersion To,
    ChangeCounts Added,
    ChangeCounts Deleted,
    ChangeCounts Modified,
    long AddedBytes,
    long DeletedBytes,
    IReadOnlyList<ListedChange> Changes
);

/// <summary>A version that was compared.</summary>
/// <param name="Version">0 = newest.</param>
/// <param name="Time">When it was made (UTC).</param>
/// <param name="Bytes">Bytes of its entries that the filter wants.</param>
public sealed record ComparedVersion(long Version, DateTime Time, long Bytes);

/// <summary>How many entries of each type.</summary>
public sealed record ChangeCounts(long Folders, long Symlinks, long Files);

/// <summary>One change.</summary>
public sealed record ListedChange(ListChangesChangeType Change, ListChangesElementType Type, string Path);
