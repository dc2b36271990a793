// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>A call of each member, for tests that hold for all of them: whether it commits, and the call itself.</summary>
/// <remarks>The database must have the volumes "blocks" (id 1) and "list" (id 2).</remarks>
internal static class LocalDatabaseMembers
{
    private static readonly CancellationToken s_none = CancellationToken.None;

    internal static IEnumerable<TestCaseData> All =>
        [
            Case("CommitAsync", true, db => Of(db).CommitAsync(s_none)),
            Case("RepairInProgress", true, db => Of(db).RepairInProgressAsync(s_none, true)),
            Case("PartiallyRecreated", true, db => Of(db).PartiallyRecreatedAsync(s_none, false)),
            Case("TerminatedWithActiveUploads", true, db => Of(db).TerminatedWithActiveUploadsAsync(s_none, true)),
            Case("FilteredFilenameTable wildcard", true, db => FilterAsync(db, "*.txt")),
            Case("FilteredFilenameTable simple", true, db => FilterAsync(db, "/a.txt")),
            Case("FilteredFilenameTable regexp", true, db => FilterAsync(db, "[.*txt]")),
            Case("FilteredFilenameTable empty", false, db => FilterAsync(db, "")),
            Case("RenameRemoteFile list", true, db => Of(db).RenameRemoteFileAsync("list", "list2", s_none)),
            Case("RenameRemoteFile blocks", false, db => Of(db).RenameRemoteFileAsync("blocks", "blocks2", s_none)),
            Case("PurgeLogData", true, db => Of(db).PurgeLogDataAsync(DateTime.UtcNow, s_none)),
            Case("PurgeDeletedVolumes", true, db => Of(db).PurgeDeletedVolumesAsync(DateTime.UtcNow, s_none)),
            Case("WriteResultsAndCommit", true, db => Of(db).WriteResultsAndCommitAsync(new BackupResults(), s_none)),
            Case("WriteResultsAndCommit without result", false, db => Of(db).WriteResultsAndCommitAsync(null!, s_none)),
            Case("RepairInProgress read", false, db => Of(db).RepairInProgressAsync(s_none)),
            Case("GetDbOptions", false, db => Of(db).GetDbOptionsAsync(s_none)),
            Case(
                "RegisterRemoteVolume",
                false,
                db => Of(db).RegisterRemoteVolumeAsync("x", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, s_none)
            ),
            Case("UpdateRemoteVolume", false, db => Of(db).UpdateRemoteVolumeAsync("blocks", RemoteVolumeState.Verified, 1, null, s_none)),
            Case(
                "UpdateRemoteVolume deleted",
                false,
                db => Of(db).UpdateRemoteVolumeAsync("blocks", RemoteVolumeState.Deleted, 1, null, s_none)
            ),
            Case("UnlinkRemoteVolume", false, db => Of(db).UnlinkRemoteVolumeAsync("blocks", RemoteVolumeState.Uploaded, s_none)),
            Case("RemoveRemoteVolume", false, db => Of(db).RemoveRemoteVolumeAsync("blocks", s_none)),
            Case("AddIndexBlockLink", false, db => Of(db).AddIndexBlockLinkAsync(1, 2, s_none)),
            Case("CreateFileset", false, db => Of(db).CreateFilesetAsync(2, DateTime.UtcNow, s_none)),
            Case("LinkFilesetToVolume", false, db => Of(db).LinkFilesetToVolumeAsync(1, 2, s_none)),
            Case("UpdateFullBackupStateInFileset", false, db => Of(db).UpdateFullBackupStateInFilesetAsync(1, true, s_none)),
            Case("ClearFilesetEntries", false, db => Of(db).ClearFilesetEntriesAsync(1, s_none)),
            Case("PushTimestampChangesToPreviousVersion", false, db => Of(db).PushTimestampChangesToPreviousVersionAsync(1, s_none)),
            Case("SetDbOptions", false, db => Of(db).SetDbOptionsAsync(new Dictionary<string, string> { ["marker"] = "1" }, s_none)),
            Case("LogRemoteOperation", false, db => Of(db).LogRemoteOperationAsync("put", "x", null, s_none)),
            Case("LogMessage", false, db => Of(db).LogMessageAsync("Warning", "x", null, s_none)),
            Case("GetOrCreatePathPrefix", false, db => Of(db).GetOrCreatePathPrefixAsync("/x/", s_none)),
            Case("GetEmptyMetadataBlocksetId", false, db => Of(db).GetEmptyMetadataBlocksetIdAsync([1, 2], "x", 1, s_none)),
            Case("VerifyConsistencyForRepair", false, db => Of(db).VerifyConsistencyForRepairAsync(100, 32, true, s_none)),
            Case("WriteFileset", false, db => Of(db).WriteFilesetAsync(new RecordingFilesetWriter(), 1, s_none)),
            Case(
                "GetRemoteVolumesDependingOnFilesets",
                false,
                db => DrainAsync(Of(db).GetRemoteVolumesDependingOnFilesetsAsync([1], s_none))
            ),
            Case("GetRemoteVolumes", false, db => DrainAsync(Of(db).GetRemoteVolumesAsync(s_none))),
            Case("FilesetTimes", false, db => DrainAsync(Of(db).FilesetTimesAsync(s_none))),
            Case("GetIncompleteFilesets", false, db => DrainAsync(Of(db).GetIncompleteFilesetsAsync(s_none))),
            Case("GetBlocks", false, db => DrainAsync(Of(db).GetBlocksAsync(1, s_none))),
            Case("GetBlocklists", false, db => DrainAsync(Of(db).GetBlocklistsAsync(1, 100, 32, s_none))),
        ];

    private static TestCaseData Case(string name, bool commits, Func<object, Task> call) =>
        new TestCaseData(commits, call).SetArgDisplayNames(name, commits ? "commits" : "does not commit");

    private static LocalDatabase Of(object db) => (LocalDatabase)db;

    private static async Task FilterAsync(object db, string filter)
    {
        using var table = await LocalDatabase.FilteredFilenameTable.CreateFilteredFilenameTableAsync(
            Of(db),
            new FilterExpression(filter),
            s_none
        );
    }

    private static async Task DrainAsync<T>(IAsyncEnumerable<T> rows)
    {
        await foreach (var _ in rows) { }
    }
}
