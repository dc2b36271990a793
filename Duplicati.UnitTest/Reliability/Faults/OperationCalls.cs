// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections;
using System.Reflection;
using System.Text;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Main.Restore;
using static Duplicati.UnitTest.Reliability.Faults.OperationCall;

namespace Duplicati.UnitTest.Reliability.Faults;

/// <summary>Calls of the members of every operation but backup and recreate, on a <see cref="RandomBackup"/>.</summary>
internal static class OperationCalls
{
    private const string Volume = "v0.dblock.zip";
    private const long VolumeId = 1;

    private static readonly CancellationToken s_none = CancellationToken.None;

    internal static IEnumerable<OperationCall> All =>
        [
            .. Deletes,
            .. Lists,
            .. Searches,
            .. Changes,
            .. Tests,
            .. Purges,
            .. Broken,
            .. Repairs,
            .. RestoreCalls.All,
            Call(
                "Affected: all",
                static async path => await LocalListAffectedDatabase.CreateAsync(path, null, s_none),
                static async (LocalListAffectedDatabase db) =>
                    await TextAsync(db.GetFilesAsync([Volume], s_none))
                    + await TextAsync(db.GetFilesetsAsync([Volume], s_none))
                    + await TextAsync(db.GetLogLinesAsync([Volume], s_none))
                    + await TextAsync(db.GetVolumesAsync([Volume], s_none))
            ),
        ];

    private static IEnumerable<OperationCall> Deletes =>
        [
            Delete(
                "DropFilesetsFromTable",
                async db =>
                    await TextAsync(db.DropFilesetsFromTableAsync([(await db.FilesetTimesAsync(s_none).FirstAsync()).Value], s_none))
            ),
            Delete("FilesetsWithBackupVersion", db => TextAsync(db.FilesetsWithBackupVersionAsync(s_none))),
            Delete("GetCompactReport", async db => Text(await db.GetCompactReportAsync(1000, 10, 100, 2, s_none))),
            Delete("HasAnyLockedFiles", async db => Text(await db.HasAnyLockedFilesAsync(1, DateTime.UtcNow, s_none))),
            Delete(
                "IBlockQuery",
                async db =>
                {
                    using var query = await db.CreateBlockQueryHelperAsync(s_none);
                    return Text(await query.UseBlockAsync(SampleDatabase.Hash("block1"), RandomBackup.BlockSize, VolumeId, s_none));
                }
            ),
            Delete("PrepareForDelete", db => DoneAsync(db.PrepareForDeleteAsync(Volume, [VolumeId], s_none))),
            Delete(
                "ReOrderDeleteableVolumes",
                async db => await TextAsync(db.ReOrderDeleteableVolumesAsync(await VolumesAsync(db), s_none))
            ),
            Delete(
                "RegisterDuplicatedBlock",
                db => DoneAsync(db.RegisterDuplicatedBlockAsync(SampleDatabase.Hash("block1"), RandomBackup.BlockSize, 2, s_none))
            ),
        ];

    private static IEnumerable<OperationCall> Lists =>
        [
            List("Sets", async db => await TextAsync((await SelectAsync(db)).SetsAsync(s_none))),
            List("QuickSets", async db => await TextAsync((await SelectAsync(db)).QuickSetsAsync(s_none))),
            List(
                "SelectFiles",
                async db => await FilesAsync((await SelectAsync(db)).SelectFilesAsync(new FilterExpression("*1.bin"), s_none))
            ),
            List(
                "SelectFolderContents",
                async db => await FilesAsync((await SelectAsync(db)).SelectFolderContentsAsync(new FilterExpression("/data/"), s_none))
            ),
            List(
                "GetLargestPrefix",
                async db => await TextAsync((await SelectAsync(db)).GetLargestPrefixAsync(new FilterExpression(), s_none))
            ),
            List(
                "TakeFirst",
                async db =>
                {
                    var sets = await SelectAsync(db);
                    await sets.TakeFirstAsync(s_none);
                    return await TextAsync(sets.SetsAsync(s_none));
                }
            ),
            List("ListFilesetsExtended", db => TextAsync(db.ListFilesetsExtendedAsync(s_none))),
            List("GetMinimalUniquePrefixEntries", db => TextAsync(db.GetMinimalUniquePrefixEntriesAsync(1, s_none))),
            List("GetMetadataForFilesetIds", async db => Text(await db.GetMetadataForFilesetIdsAsync([1, 2], s_none))),
        ];

    private static IEnumerable<OperationCall> Searches =>
        [
            List(
                "ListFolder",
                async db =>
                    Text((await db.ListFolderAsync(await db.GetPrefixIdsAsync(["/data/a/"], s_none).ToListAsync(), 1, 0, 10, s_none)).Items)
            ),
            List("ListFileVersions", async db => Text((await db.ListFileVersionsAsync(["/data/a/0.bin"], null, 0, 10, s_none)).Items)),
            List(
                "SearchEntries",
                async db =>
                    Text((await db.SearchEntriesAsync(["/data/"], new FilterExpression("1"), false, null, false, 0, 10, s_none)).Items)
            ),
        ];

    private static IEnumerable<OperationCall> Changes =>
        [
            Call(
                "Changes: reports",
                static async path => await LocalListChangesDatabase.CreateAsync(path, null, s_none),
                static async (LocalListChangesDatabase db) =>
                {
                    await using var storage = await db.CreateStorageHelperAsync(s_none);
                    await storage.AddFromDbAsync(1, false, new FilterExpression(), s_none);
                    await storage.AddFromDbAsync(3, true, new FilterExpression("*.bin"), s_none);
                    await storage.AddElementAsync("/x", "hash", "meta", 5, ListChangesElementType.File, true, false, s_none);
                    return Text(await storage.CreateChangeCountReportAsync(s_none))
                        + Text(await storage.CreateChangeSizeReportAsync(s_none))
                        + await TextAsync(storage.CreateChangedFileReportAsync(s_none));
                }
            ),
        ];

    private static IEnumerable<OperationCall> Tests =>
        [
            Test("SelectTestTargets", async db => Text(await db.SelectTestTargetsAsync(3, new Options([]), s_none).CountAsync())),
            Test("UpdateVerificationCount", db => DoneAsync(db.UpdateVerificationCountAsync(Volume, s_none))),
            Test(
                "IFilelist",
                async db =>
                {
                    await using var list = await db.CreateFilelistAsync("duplicati-1000000.dlist.zip", s_none);
                    await list.AddAsync("/data/a/0.bin", 100, "hash", 7, "meta", [], FilelistEntryType.File, default, s_none);
                    return await TextAsync(list.CompareAsync(s_none));
                }
            ),
            Test(
                "IBlocklist",
                async db =>
                {
                    await using var list = await db.CreateBlocklistAsync(Volume, s_none);
                    await list.AddBlockAsync(SampleDatabase.Hash("block1"), RandomBackup.BlockSize, s_none);
                    return await TextAsync(list.CompareAsync(s_none));
                }
            ),
            Test(
                "IIndexlist",
                async db =>
                {
                    await using var list = await db.CreateIndexlistAsync(Volume, s_none);
                    await list.AddBlockLinkAsync("other", "hash", 100, s_none);
                    return await TextAsync(list.CompareAsync(s_none));
                }
            ),
            Test(
                "IBlocklistHashList",
                async db =>
                {
                    await using var list = await db.CreateBlocklistHashListAsync(Volume, s_none);
                    await list.AddBlockHashAsync(SampleDatabase.Hash("block1"), RandomBackup.BlockSize, s_none);
                    return await TextAsync(list.CompareAsync(3, 32, (int)RandomBackup.BlockSize, s_none));
                }
            ),
        ];

    private static IEnumerable<OperationCall> Purges =>
        [
            Purge("CountOrphanFiles", async db => Text(await db.CountOrphanFilesAsync(s_none))),
            Purge("GetRemoteVolumeNameForFileset", async db => Text(await db.GetRemoteVolumeNameForFilesetAsync(1, s_none))),
            Purge(
                "ITemporaryFileset",
                async db =>
                {
                    await using var fileset = await db.CreateTemporaryFilesetAsync(1, s_none);
                    await fileset.ApplyFilterAsync(new FilterExpression("*1.bin"), s_none);
                    var removed = await TextAsync(fileset.ListAllDeletedFilesAsync(s_none));
                    return removed
                        + Text(
                            await fileset.ConvertToPermanentFilesetAsync(
                                "new.dlist.zip",
                                new DateTime(2020, 1, 1, 0, 0, 0, DateTimeKind.Utc),
                                true,
                                s_none
                            )
                        );
                }
            ),
        ];

    private static IEnumerable<OperationCall> Broken =>
        [
            OfBroken("GetBrokenFilesets", db => TextAsync(db.GetBrokenFilesetsAsync(RestoreFixture.AnyTime, null, s_none))),
            OfBroken("GetBrokenFilenames", db => TextAsync(db.GetBrokenFilenamesAsync(1, s_none))),
            OfBroken("GetFilesetFileCount", async db => Text(await db.GetFilesetFileCountAsync(1, s_none))),
            OfBroken("GetOrphanedIndexFiles", db => TextAsync(db.GetOrphanedIndexFilesAsync(s_none))),
            OfBroken("RemoveMissingBlocks", db => DoneAsync(db.RemoveMissingBlocksAsync([Volume], s_none))),
        ];

    private static IEnumerable<OperationCall> Repairs =>
        [
            Repair("FixDuplicateMetahash", db => DoneAsync(db.FixDuplicateMetahashAsync(s_none))),
            Repair("FixDuplicateFileentries", db => DoneAsync(db.FixDuplicateFileentriesAsync(s_none))),
            Repair("FixDuplicatePathsInFilesets", db => DoneAsync(db.FixDuplicatePathsInFilesetsAsync(s_none))),
            Repair("FixDuplicateBlocklistHashes", db => DoneAsync(db.FixDuplicateBlocklistHashesAsync(RandomBackup.BlockSize, 32, s_none))),
            Repair("FixEmptyMetadatasets", db => DoneAsync(db.FixEmptyMetadatasetsAsync(new Options([]), s_none))),
            Repair("MissingLocalFilesets", db => TextAsync(db.MissingLocalFilesetsAsync(s_none))),
            Repair("MissingRemoteFilesets", db => TextAsync(db.MissingRemoteFilesetsAsync(s_none))),
            Repair("GetFilesetsWithMissingFiles", db => TextAsync(db.GetFilesetsWithMissingFilesAsync(s_none))),
            Repair("EmptyIndexFiles", db => TextAsync(db.EmptyIndexFilesAsync(s_none))),
            Repair(
                "GetFilesetFromRemotename",
                async db => Text(await db.GetFilesetFromRemotenameAsync("duplicati-1000000.dlist.zip", s_none))
            ),
            Repair(
                "DeleteFilesetEntries and MoveFilesFromFileset",
                async db =>
                    Text(await db.DeleteFilesetEntriesAsync(1, s_none)) + await DoneAsync(db.MoveFilesFromFilesetAsync(2, 1, s_none))
            ),
            Repair(
                "IMissingBlockList",
                async db =>
                {
                    await using var list = await db.CreateBlockListAsync(Volume, s_none);
                    var sources =
                        await TextAsync(list.GetSourceFilesWithBlocksAsync(RandomBackup.BlockSize, s_none))
                        + await TextAsync(list.GetSourceItemsWithMetadataBlocksAsync(s_none));
                    return sources
                        + await TextAsync(list.GetFilesetsUsingMissingBlocksAsync(s_none))
                        + await TextAsync(list.GetMissingBlockSourcesAsync(s_none))
                        + Text(await list.SetBlockRestoredAsync(SampleDatabase.Hash("block1"), RandomBackup.BlockSize, 2, s_none))
                        + Text(await list.GetMissingBlockCountAsync(s_none));
                }
            ),
        ];

    /// <summary>A call whose object needs nothing before.</summary>
    internal static OperationCall Call<T>(string name, Func<string, Task<LocalDatabase>> open, Func<T, Task<string>> run)
        where T : LocalDatabase => new(name, open, static _ => Task.CompletedTask, db => run((T)db));

    /// <summary>A call without an answer.</summary>
    internal static async Task<string> DoneAsync(Task call)
    {
        await call;
        return "";
    }

    private static OperationCall Delete(string name, Func<LocalDeleteDatabase, Task<string>> run) =>
        Call($"Delete: {name}", static async path => await LocalDeleteDatabase.CreateAsync(path, "Delete", null, s_none), run);

    private static OperationCall List(string name, Func<LocalListDatabase, Task<string>> run) =>
        Call($"List: {name}", static async path => await LocalListDatabase.CreateAsync(path, null, s_none), run);

    private static OperationCall Test(string name, Func<LocalTestDatabase, Task<string>> run) =>
        Call($"Test: {name}", static async path => await LocalTestDatabase.CreateAsync(path, null, s_none), run);

    private static OperationCall Purge(string name, Func<LocalPurgeDatabase, Task<string>> run) =>
        Call($"Purge: {name}", static async path => await LocalPurgeDatabase.CreateAsync(path, null, s_none), run);

    private static OperationCall OfBroken(string name, Func<LocalListBrokenFilesDatabase, Task<string>> run) =>
        Call($"Broken: {name}", static async path => await LocalListBrokenFilesDatabase.CreateAsync(path, null, s_none), run);

    private static OperationCall Repair(string name, Func<LocalRepairDatabase, Task<string>> run) =>
        Call($"Repair: {name}", static async path => await LocalRepairDatabase.CreateRepairDatabaseAsync(path, null, s_none), run);

    private static Task<LocalListDatabase.IFileSets> SelectAsync(LocalListDatabase db) =>
        db.SelectFileSetsAsync(RestoreFixture.AnyTime, null!, s_none);

    private static async Task<string> FilesAsync(IAsyncEnumerable<LocalListDatabase.IFileversion> files)
    {
        var text = "";
        await foreach (var file in files)
            text += $"{file.Path}: {await TextAsync(file.SizesAsync(s_none))}";
        return text;
    }

    private static async Task<List<IRemoteVolume>> VolumesAsync(LocalDatabase db) =>
        await db.GetRemoteVolumesAsync(s_none).Select(x => (IRemoteVolume)new RemoteVolume(x.Name, x.Hash, x.Size)).ToListAsync();
}

/// <summary>A call of members of an operation's object, for tests that hold for all of them.</summary>
/// <param name="Name">The class and what is called.</param>
/// <param name="Open">Opens the object.</param>
/// <param name="Prepare">What has to be called before, on the same object.</param>
/// <param name="Run">The call, and its answer as text.</param>
internal sealed record OperationCall(
    string Name,
    Func<string, Task<LocalDatabase>> Open,
    Func<LocalDatabase, Task> Prepare,
    Func<LocalDatabase, Task<string>> Run
)
{
    /// <summary>The items of a stream as text.</summary>
    internal static async Task<string> TextAsync<T>(IAsyncEnumerable<T> items)
    {
        var text = new StringBuilder();
        await foreach (var item in items)
            text.AppendLine(Text(item));
        return text.ToString();
    }

    /// <summary>An answer as text: its values, or those of its properties.</summary>
    internal static string Text(object? answer) =>
        answer switch
        {
            null => "null",
            string or IFormattable or bool => $"{answer}",
            IDictionary map => string.Join(", ", map.Keys.Cast<object>().Select(x => $"{x}: {Text(map[x])}").Order(StringComparer.Ordinal)),
            IEnumerable items => $"[{string.Join(", ", items.Cast<object?>().Select(Text))}]",
            _ when answer.ToString() is { } text && text != answer.GetType().ToString() => text,
            _ => string.Join(
                ", ",
                answer
                    .GetType()
                    .GetProperties(BindingFlags.Public | BindingFlags.Instance)
                    .Where(x => x.GetIndexParameters().Length == 0)
                    .Select(x => $"{x.Name}: {Text(x.GetValue(answer))}")
            ),
        };

    public override string ToString() => Name;
}
