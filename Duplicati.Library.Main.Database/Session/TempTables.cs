#nullable enable

using System.Collections.Generic;
using Duplicati.Library.Main.Database.Affected;
using Duplicati.Library.Main.Database.Broken;
using Duplicati.Library.Main.Database.BugReport;
using Duplicati.Library.Main.Database.Changes;
using Duplicati.Library.Main.Database.Delete;
using Duplicati.Library.Main.Database.Listing;
using Duplicati.Library.Main.Database.Purge;
using Duplicati.Library.Main.Database.Repair;
using Duplicati.Library.Main.Database.Restore;
using Duplicati.Library.Main.Database.Testing;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>
/// Every temporary table of the data layer, so that names do not collide and the plan test can make them all. Add a table here,
/// with its texts in <see cref="TempTablesSql"/>; give it a primary key or an index for every column it is joined on.
/// </summary>
internal static class TempTables
{
    internal static readonly TempTable RemovedVolume = new("RemovedVolume", TempTablesSql.CreateRemovedVolume, TempTablesSql.ClearRemovedVolume);
    internal static readonly TempTable RemovedBlockset = new("RemovedBlockset", TempTablesSql.CreateRemovedBlockset, TempTablesSql.ClearRemovedBlockset);
    internal static readonly TempTable RemovedMetadata = new("RemovedMetadata", TempTablesSql.CreateRemovedMetadata, TempTablesSql.ClearRemovedMetadata);
    internal static readonly TempTable RemovedFile = new("RemovedFile", TempTablesSql.CreateRemovedFile, TempTablesSql.ClearRemovedFile);
    internal static readonly TempTable RemovedFileset = new("RemovedFileset", TempTablesSql.CreateRemovedFileset, TempTablesSql.ClearRemovedFileset);
    internal static readonly TempTable SelectedFileset = new("SelectedFileset", TempTablesSql.CreateSelectedFileset, TempTablesSql.ClearSelectedFileset);
    internal static readonly TempTable SelectedBlockset = new("SelectedBlockset", TempTablesSql.CreateSelectedBlockset, TempTablesSql.ClearSelectedBlockset);
    internal static readonly TempTable SelectedVolume = new("SelectedVolume", TempTablesSql.CreateSelectedVolume, TempTablesSql.ClearSelectedVolume);
    internal static readonly TempTable MissingVolume = new("MissingVolume", TempTablesSql.CreateMissingVolume, TempTablesSql.ClearMissingVolume);
    internal static readonly TempTable DeletedPath = new("DeletedPath", TempTablesSql.CreateDeletedPath, TempTablesSql.ClearDeletedPath);

    internal static readonly TempTable BrokenBlockset = new("BrokenBlockset", BrokenSql.CreateBlocksets, BrokenSql.ClearBlocksets);
    internal static readonly TempTable BrokenFile = new("BrokenFile", BrokenSql.CreateFiles, BrokenSql.ClearFiles);

    internal static readonly TempTable UnusedRange = new("UnusedRange", DeleteSql.CreateUnusedRange, DeleteSql.ClearUnusedRange);
    internal static readonly TempTable AffectedFile = new("AffectedFile", AffectedSql.CreateFiles, AffectedSql.ClearFiles);
    internal static readonly TempTable AffectedName = new("AffectedName", AffectedSql.CreateNames, AffectedSql.ClearNames);
    internal static readonly TempTable PathMap = new("PathMap", BugReportSql.CreatePathMap, BugReportSql.ClearPathMap);
    internal static readonly TempTable SearchRule = new("SearchRule", SearchSql.Create, SearchSql.Clear);

    internal static readonly TempTable RestoreFile = new("RestoreFile", RestoreFileSql.Create, RestoreFileSql.Clear);
    internal static readonly TempTable RestoreBlock = new("RestoreBlock", RestoreBlockSql.Create, RestoreBlockSql.Clear);
    internal static readonly TempTable RestoreNewlyDone = new("RestoreNewlyDone", RestoreBlockSql.CreateNewlyDone, RestoreBlockSql.ClearNewlyDone);

    internal static readonly TempTable ComparedBlock = new("ComparedBlock", ComparisonSql.CreateComparedBlock, ComparisonSql.ClearComparedBlock);
    internal static readonly TempTable ComparedFile = new("ComparedFile", ComparisonSql.CreateComparedFile, ComparisonSql.ClearComparedFile);
    internal static readonly TempTable StoredCopy = new("StoredCopy", ComparisonSql.CreateStoredCopy, ComparisonSql.ClearStoredCopy);
    internal static readonly TempTable ExpectedBlocklist = new("ExpectedBlocklist", ComparisonSql.CreateExpectedBlocklist, ComparisonSql.ClearExpectedBlocklist);

    internal static readonly TempTable PurgedCandidate = new("PurgedCandidate", PurgeSql.CreateCandidate, PurgeSql.ClearCandidate);
    internal static readonly TempTable PurgedBlock = new("PurgedBlock", PurgeSql.CreateBlock, PurgeSql.ClearBlock);

    internal static readonly TempTableTemplate Filelist = new("Filelist", ListSql.CreateFilelist, ListSql.ClearFilelist, ListSql.DropFilelist);
    internal static readonly TempTableTemplate Indexlist = new("Indexlist", ListSql.CreateIndexlist, ListSql.ClearIndexlist, ListSql.DropIndexlist);
    internal static readonly TempTableTemplate Blocklist = new("Blocklist", ListSql.CreateBlocklist, ListSql.ClearBlocklist, ListSql.DropBlocklist);
    internal static readonly TempTableTemplate BlocklistHashList = new("BlocklistHashList", ListSql.CreateBlocklistHashList, ListSql.ClearBlocklistHashList, ListSql.DropBlocklistHashList);
    internal static readonly TempTableTemplate DeletedFiles = new("TempDeletedFilesTable", PurgeSql.CreateDeletedFiles, PurgeSql.ClearDeletedFiles, PurgeSql.DropDeletedFiles);
    internal static readonly TempTable MissingBlock = new("MissingBlock", MissingBlockSql.Create, MissingBlockSql.Clear);
    internal static readonly TempTable MetadataMerge = new("MetadataMerge", MergeSql.CreateMetadata, MergeSql.ClearMetadata);
    internal static readonly TempTable FileMerge = new("FileMerge", MergeSql.CreateFiles, MergeSql.ClearFiles);
    internal static readonly TempTable ZeroLengthBlockset = new("ZeroLengthBlockset", ZeroLengthMetadataSql.CreateBlocksets, ZeroLengthMetadataSql.ClearBlocksets);

    internal static readonly TempTableTemplate Previous = new("Previous", ChangesSql.CreatePrevious, ChangesSql.ClearPrevious, ChangesSql.DropPrevious);
    internal static readonly TempTableTemplate Current = new("Current", ChangesSql.CreateCurrent, ChangesSql.ClearCurrent, ChangesSql.DropCurrent);
    internal static readonly TempTableTemplate Filenames = new("Filenames", TempTablesSql.CreateFilenames, TempTablesSql.ClearFilenames, TempTablesSql.DropFilenames);

    /// <summary>The tables of fixed name.</summary>
    internal static IReadOnlyList<TempTable> All { get; } =
    [
        RemovedVolume, RemovedBlockset, RemovedMetadata, RemovedFile, RemovedFileset,
        SelectedFileset, SelectedBlockset, SelectedVolume, MissingVolume, DeletedPath,
        BrokenBlockset, BrokenFile,
        AffectedFile, AffectedName, PathMap, SearchRule,
        UnusedRange, RestoreFile, RestoreBlock, RestoreNewlyDone,
        ComparedBlock, ComparedFile, StoredCopy, ExpectedBlocklist,
        PurgedCandidate, PurgedBlock,
        MissingBlock, MetadataMerge, FileMerge, ZeroLengthBlockset,
    ];

    /// <summary>Indexes on tables of fixed name that are made after filling.</summary>
    internal static IReadOnlyList<string> LateIndexes { get; } = [RestoreBlockSql.CreateMissingIndex];

    /// <summary>The tables that belong to one object each.</summary>
    internal static IReadOnlyList<TempTableTemplate> Templates { get; } = [Filenames, Filelist, Indexlist, Blocklist, BlocklistHashList, DeletedFiles, Previous, Current];
}
