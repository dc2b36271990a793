// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>A call of each member, for tests that hold for all of them: whether it commits, and the call itself.</summary>
/// <remarks>The database must have the volumes "blocks" (id 1) and "list" (id 2).</remarks>
internal static class LocalDatabaseMembers
{
    private static readonly Member[] s_members =
    [
        new("CommitAsync", true, (db, token) => Of(db).CommitAsync(token)),
        new("RepairInProgress", true, (db, token) => Of(db).RepairInProgressAsync(token, true)),
        new("PartiallyRecreated", true, (db, token) => Of(db).PartiallyRecreatedAsync(token, false)),
        new("TerminatedWithActiveUploads", true, (db, token) => Of(db).TerminatedWithActiveUploadsAsync(token, true)),
        new("FilteredFilenameTable wildcard", true, (db, token) => FilterAsync(db, "*.txt", token)),
        new("FilteredFilenameTable simple", true, (db, token) => FilterAsync(db, "/a.txt", token)),
        new("FilteredFilenameTable regexp", true, (db, token) => FilterAsync(db, "[.*txt]", token)),
        new("FilteredFilenameTable empty", false, (db, token) => FilterAsync(db, "", token)),
        new("RenameRemoteFile list", true, (db, token) => Of(db).RenameRemoteFileAsync("list", "list2", token)),
        new("RenameRemoteFile blocks", false, (db, token) => Of(db).RenameRemoteFileAsync("blocks", "blocks2", token)),
        new("PurgeLogData", true, (db, token) => Of(db).PurgeLogDataAsync(DateTime.UtcNow, token), true),
        new("PurgeDeletedVolumes", true, (db, token) => Of(db).PurgeDeletedVolumesAsync(DateTime.UtcNow, token)),
        new("WriteResultsAndCommit", true, (db, token) => Of(db).WriteResultsAndCommitAsync(new BackupResults(), token)),
        new("WriteResultsAndCommit without result", false, (db, token) => Of(db).WriteResultsAndCommitAsync(null!, token)),
        new("RepairInProgress read", false, (db, token) => Of(db).RepairInProgressAsync(token)),
        new("GetDbOptions", false, (db, token) => Of(db).GetDbOptionsAsync(token)),
        new(
            "RegisterRemoteVolume",
            false,
            (db, token) => Of(db).RegisterRemoteVolumeAsync("x", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, token)
        ),
        new(
            "UpdateRemoteVolume",
            false,
            (db, token) => Of(db).UpdateRemoteVolumeAsync("blocks", RemoteVolumeState.Verified, 1, null, token)
        ),
        new(
            "UpdateRemoteVolume deleted",
            false,
            (db, token) => Of(db).UpdateRemoteVolumeAsync("blocks", RemoteVolumeState.Deleted, 1, null, token),
            true
        ),
        new("UnlinkRemoteVolume", false, (db, token) => Of(db).UnlinkRemoteVolumeAsync("blocks", RemoteVolumeState.Uploaded, token)),
        new("RemoveRemoteVolume", false, (db, token) => Of(db).RemoveRemoteVolumeAsync("blocks", token)),
        new("RemoveRemoteVolumes", false, (db, token) => Of(db).RemoveRemoteVolumesAsync(["blocks"], token), true),
        new("AddIndexBlockLink", false, (db, token) => Of(db).AddIndexBlockLinkAsync(1, 2, token)),
        new("CreateFileset", false, (db, token) => Of(db).CreateFilesetAsync(2, DateTime.UtcNow, token)),
        new("LinkFilesetToVolume", false, (db, token) => Of(db).LinkFilesetToVolumeAsync(1, 2, token)),
        new("UpdateFullBackupStateInFileset", false, (db, token) => Of(db).UpdateFullBackupStateInFilesetAsync(1, true, token)),
        new("ClearFilesetEntries", false, (db, token) => Of(db).ClearFilesetEntriesAsync(1, token), true),
        new("PushTimestampChangesToPreviousVersion", false, (db, token) => Of(db).PushTimestampChangesToPreviousVersionAsync(1, token)),
        new("SetDbOptions", false, (db, token) => Of(db).SetDbOptionsAsync(new Dictionary<string, string> { ["marker"] = "1" }, token)),
        new("LogRemoteOperation", false, (db, token) => Of(db).LogRemoteOperationAsync("put", "x", null, token)),
        new("LogMessage", false, (db, token) => Of(db).LogMessageAsync("Warning", "x", null, token)),
        new("GetOrCreatePathPrefix", false, (db, token) => Of(db).GetOrCreatePathPrefixAsync("/x/", token)),
        new("GetEmptyMetadataBlocksetId", false, (db, token) => Of(db).GetEmptyMetadataBlocksetIdAsync([1, 2], "x", 1, token)),
        new("VerifyConsistency", false, (db, token) => Of(db).VerifyConsistencyAsync(100, 32, true, token), true),
        new("VerifyConsistencyForRepair", false, (db, token) => Of(db).VerifyConsistencyForRepairAsync(100, 32, true, token), true),
        new("WriteFileset", false, (db, token) => Of(db).WriteFilesetAsync(new RecordingFilesetWriter(), 1, token), true),
        new(
            "GetRemoteVolumesDependingOnFilesets",
            false,
            (db, token) => DrainAsync(Of(db).GetRemoteVolumesDependingOnFilesetsAsync([1], token)),
            true
        ),
        new("GetRemoteVolumes", false, (db, token) => DrainAsync(Of(db).GetRemoteVolumesAsync(token))),
        new("FilesetTimes", false, (db, token) => DrainAsync(Of(db).FilesetTimesAsync(token))),
        new("GetIncompleteFilesets", false, (db, token) => DrainAsync(Of(db).GetIncompleteFilesetsAsync(token))),
        new("GetBlocks", false, (db, token) => DrainAsync(Of(db).GetBlocksAsync(1, token)), true),
        new("GetBlocklists", false, (db, token) => DrainAsync(Of(db).GetBlocklistsAsync(1, 100, 32, token)), true),
    ];

    internal static IEnumerable<TestCaseData> All =>
        s_members.Select(x =>
            new TestCaseData(x.Commits, (Func<object, Task>)(db => x.Call(db, default))).SetArgDisplayNames(
                x.Name,
                x.Commits ? "commits" : "does not commit"
            )
        );

    /// <summary>Those that a cancelled token ends at any step; the others go on to their end.</summary>
    internal static IEnumerable<TestCaseData> Long =>
        s_members
            .Where(x => x.IsLong)
            // Kept, since its disposal is not cancelled.
            .Append(new("FilteredFilenameTable", true, (db, token) => CreateFilterAsync(db, "[.*]", token)))
            .Select(x => new TestCaseData(x.Call).SetArgDisplayNames(x.Name));

    /// <summary>Members of types that are made from the object.</summary>
    internal static IEnumerable<TestCaseData> OfChildren =>
        new (string Name, Func<object, CancellationToken, Task> Call)[]
        {
            ("UpdateVerificationCount", async (db, token) => await (await TestOf(db)).UpdateVerificationCountAsync("blocks", token)),
            ("CreateBlocklist", async (db, token) => await (await TestOf(db)).CreateBlocklistAsync("blocks", token)),
            ("SelectTestTargets", async (db, token) => await DrainAsync((await TestOf(db)).SelectTestTargetsAsync(1, new([]), token))),
            ("RemoveMissingBlocks", async (db, token) => await (await BrokenOf(db)).RemoveMissingBlocksAsync(["blocks"], token)),
            ("ReplaceMetadata", async (db, token) => await (await BrokenOf(db)).ReplaceMetadataAsync(1, 1, token)),
            ("GetFilesetFileCount", async (db, token) => await (await BrokenOf(db)).GetFilesetFileCountAsync(1, token)),
            ("GetBrokenFilesets", async (db, token) => await DrainAsync((await BrokenOf(db)).GetBrokenFilesetsAsync(default, null, token))),
            (
                "InsertBrokenFileIDsIntoTable",
                async (db, token) => await (await BrokenOf(db)).InsertBrokenFileIDsIntoTableAsync(1, "t", "c", token)
            ),
        }.Select(x => new TestCaseData(x.Call).SetArgDisplayNames(x.Name));

    private static LocalDatabase Of(object db) => (LocalDatabase)db;

    private static async Task FilterAsync(object db, string filter, CancellationToken token)
    {
        using var table = await CreateFilterAsync(db, filter, token);
    }

    private static Task<LocalDatabase.FilteredFilenameTable> CreateFilterAsync(object db, string filter, CancellationToken token) =>
        LocalDatabase.FilteredFilenameTable.CreateFilteredFilenameTableAsync(Of(db), new FilterExpression(filter), token);

    private static Task<LocalTestDatabase> TestOf(object db) => LocalTestDatabase.CreateAsync(Of(db), null, default);

    private static Task<LocalListBrokenFilesDatabase> BrokenOf(object db) =>
        LocalListBrokenFilesDatabase.CreateAsync(Of(db), null, default);

    private static async Task DrainAsync<T>(IAsyncEnumerable<T> rows)
    {
        await foreach (var _ in rows) { }
    }

    private sealed record Member(string Name, bool Commits, Func<object, CancellationToken, Task> Call, bool IsLong = false);
}
