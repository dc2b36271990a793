// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Main.Restore;
using static Duplicati.UnitTest.Reliability.Faults.OperationCall;
using static Duplicati.UnitTest.Reliability.Faults.OperationCalls;

namespace Duplicati.UnitTest.Reliability.Faults;

/// <summary>Calls of a restore's members; but for the first, files have been chosen before, and their blocks.</summary>
internal static class RestoreCalls
{
    private const string Table = "FaultHashes";

    private static readonly CancellationToken s_none = CancellationToken.None;

    internal static IEnumerable<OperationCall> All =>
        [
            Call(
                "Restore: PrepareRestoreFilelist",
                OpenAsync,
                static async (LocalRestoreDatabase db) =>
                    Text(await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, null, new FilterExpression("*.bin"), true, s_none))
            ),
            After(
                "SetTargetPaths",
                static async db => await DoneAsync(db.SetTargetPathsAsync(await db.GetLargestPrefixAsync(s_none), "/elsewhere", s_none))
            ),
            After("FindMissingBlocks", static db => DoneAsync(db.FindMissingBlocksAsync(true, s_none))),
            After("CreateProgressTracker", static db => DoneAsync(db.CreateProgressTrackerAsync(true, s_none))),
            After("DropRestoreTable", static db => DoneAsync(db.DropRestoreTableAsync(s_none))),
            After("PrepareRestoreFilelistCount", static async db => Text(await db.PrepareRestoreFilelistCountAsync(s_none))),
            After("RemoveAlternateDataStreams", static db => DoneAsync(db.RemoveAlternateDataStreamsAsync(s_none))),
            After("RemoveFilesLargerThan", static async db => Text(await db.RemoveFilesLargerThanAsync(200, s_none))),
            After(
                "restored hashes",
                static async db =>
                {
                    await db.CreateRestoredHashesTableAsync(Table, s_none);
                    var text =
                        Text(await db.AddCurrentFilesToRestoredHashesAsync(Table, s_none))
                        + Text(await db.RemoveFilesByRestoredHashesAsync(Table, s_none));
                    await db.DropRestoredHashesTableAsync(Table, s_none);
                    return text;
                }
            ),
            After(
                "HasEntriesOutsideFolder",
                static async db => Text(await db.HasEntriesOutsideFolderAsync(RestoreFixture.AnyTime, null, "/data/a/", s_none))
            ),
            After(
                "GetFirstPath and prefixes",
                static async db =>
                    Text(await db.GetFirstPathAsync(s_none))
                    + Text(await db.GetLargestPrefixAsync(s_none))
                    + Text(await db.GetLargestVolumeAsync(s_none))
            ),
            After(
                "streams of files",
                static async db =>
                    await TextAsync(db.GetFilesToRestoreAsync(true, s_none))
                    + await TextAsync(db.GetFilesAndSymlinksToRestoreAsync(s_none))
                    + await TextAsync(db.GetFolderMetadataToRestoreAsync(s_none))
                    + await TextAsync(db.GetTargetFoldersAsync(s_none))
            ),
            After(
                "streams of blocks",
                static async db =>
                    await TextAsync(db.GetBlocksAndVolumeIDsAsync(false, s_none))
                    + await TextAsync(db.GetBlocksFromFileAsync(9, s_none))
                    + await TextAsync(db.GetMetadataBlocksFromFileAsync(9, s_none))
                    + await TextAsync(db.GetMissingVolumesAsync(s_none))
                    + await TextAsync(db.GetVolumeInfoAsync(1, s_none))
            ),
            After(
                "GetExistingFilesWithBlocks",
                static async db =>
                {
                    var text = "";
                    await foreach (var file in db.GetExistingFilesWithBlocksAsync(s_none))
                        text += $"{file.TargetPath}: {await file.BlocksAsync(s_none).CountAsync()}";
                    return text;
                }
            ),
            After(
                "GetFilesAndSourceBlocks",
                static async db =>
                {
                    var text = "";
                    await foreach (var source in db.GetFilesAndSourceBlocksAsync(false, RandomBackup.BlockSize, s_none))
                        text += $"{source.TargetPath}: {await source.BlocksAsync(s_none).CountAsync()}";
                    return text;
                }
            ),
            After(
                "GetFilesAndSourceBlocksFast",
                static async db =>
                {
                    var text = "";
                    await foreach (var source in db.GetFilesAndSourceBlocksFastAsync(RandomBackup.BlockSize, s_none))
                        text += $"{source.TargetPath}: {await source.BlocksAsync(s_none).CountAsync()}";
                    return text;
                }
            ),
            After(
                "IBlockMarker",
                static async db =>
                {
                    var existing = await db.GetExistingFilesWithBlocksAsync(s_none).FirstAsync();
                    var (file, block) = (existing.TargetFileID, await existing.BlocksAsync(s_none).FirstAsync());
                    using var marker = await db.CreateBlockMarkerAsync(s_none);
                    await marker.SetBlockRestoredAsync(file, block.Index, block.Hash, block.Size, false, s_none);
                    await marker.SetAllBlocksRestoredAsync(file, true, s_none);
                    await marker.SetAllBlocksMissingAsync(file, s_none);
                    await marker.SetFileDataVerifiedAsync(file, s_none);
                    await marker.CommitAsync(s_none);
                    return "";
                }
            ),
            After(
                "MarkFileDataVerified and UpdateTargetPath",
                static async db =>
                {
                    await db.MarkFileDataVerifiedAsync(1, s_none);
                    await db.UpdateTargetPathAsync(1, "/renamed", s_none);
                    return await TextAsync(db.GetTargetFoldersAsync(s_none));
                }
            ),
        ];

    private static OperationCall After(string name, Func<LocalRestoreDatabase, Task<string>> run) =>
        new($"Restore: {name}", OpenAsync, PrepareAsync, db => run((LocalRestoreDatabase)db));

    private static async Task<LocalDatabase> OpenAsync(string path) => await RestoreFixture.OpenAsync(path);

    private static async Task PrepareAsync(LocalDatabase db)
    {
        var restore = (LocalRestoreDatabase)db;
        await restore.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, null, null, false, s_none);
        await restore.SetTargetPathsAsync(await restore.GetLargestPrefixAsync(s_none), "/out", s_none);
        await restore.FindMissingBlocksAsync(false, s_none);
        await restore.CreateProgressTrackerAsync(false, s_none);
    }
}
