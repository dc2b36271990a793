#nullable enable

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>The tables that lose rows with a version, and their statements.</summary>
internal static class DeletionTables
{
    internal static readonly ChildTable FilesetEntry = new(
        "FilesetEntry", DeleteSql.FilesetIds, MassDeletionSql.AnyFileset, DeleteSql.DeleteEntriesBetween,
        MassDeletionSql.DeleteAllEntries, MassDeletionSql.CountEntriesBetween, MassDeletionSql.CountEntries);

    internal static readonly ReferredTable FileLookup = new(
        "FileLookup", MassDeletionSql.AnyEntry, DeleteSql.DeleteFiles, MassDeletionSql.DeleteAllFiles, MassDeletionSql.FileEnds, MassDeletionSql.SampleFile);

    internal static readonly ReferredTable Metadataset = new(
        "Metadataset", MassDeletionSql.AnyFile, DeleteSql.DeleteMetadata, MassDeletionSql.DeleteAllMetadata, MassDeletionSql.MetadataEnds, MassDeletionSql.SampleMetadata);

    internal static readonly ReferredTable Blockset = new(
        "Blockset", MassDeletionSql.AnyFileOrMetadata, DeleteSql.DeleteBlocksets, MassDeletionSql.DeleteAllBlocksets, MassDeletionSql.BlocksetEnds, MassDeletionSql.SampleBlockset);

    internal static readonly ChildTable BlocksetEntry = new(
        "BlocksetEntry", DeleteSql.BlocksetIds, MassDeletionSql.AnyBlockset, DeleteSql.DeleteBlocksetEntriesBetween,
        MassDeletionSql.DeleteAllBlocksetEntries, MassDeletionSql.CountBlocksetEntriesBetween, MassDeletionSql.CountBlocksetEntries);

    // A row for every few thousand blocks.
    internal static readonly ChildTable BlocklistHash = new(
        "BlocklistHash", DeleteSql.BlocksetIds, MassDeletionSql.AnyBlockset, DeleteSql.DeleteBlocklistsBetween, MassDeletionSql.DeleteAllBlocklists, null, null);
}
