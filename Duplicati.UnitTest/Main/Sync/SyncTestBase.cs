// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Sync;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Sync;

/// <summary>A new synchronization database for each test.</summary>
public abstract class SyncTestBase : FolderTestBase
{
    private protected static readonly CancellationToken None = CancellationToken.None;

    /// <summary>The columns that a table of local files must have.</summary>
    private protected const string LOCAL_FILES =
        "RelativePath TEXT NOT NULL UNIQUE, AbsolutePath TEXT NOT NULL, Size INTEGER NOT NULL, LastModified TEXT NOT NULL";

    private protected string DatabasePath => Path.Combine(Folder.Path, "new folder", "sync.sqlite");

    private protected LocalSyncDatabase Db { get; private set; } = null!;

    [SetUp]
    public void Open() => Db = new LocalSyncDatabase(DatabasePath);

    [TearDown]
    public void Close() => Db.Dispose();

    /// <summary>A time on the given day.</summary>
    private protected static DateTime Day(int day) => new(2026, 1, day, 3, 4, 5, DateTimeKind.Utc);

    private protected Task AddAsync(string path, long size = 1, int day = 1, string? hash = null) =>
        Db.UpsertInventoryAsync(path, size, Day(day), hash, None);

    private protected async Task<string> AddLocalAsync(params (string Path, long Size, int Day)[] files)
    {
        var table = await Db.CreateTempTableAsync(LOCAL_FILES, None);
        await Db.InsertLocalFilesAsync(table.Name, files.Select(x => (x.Path, "/src/" + x.Path, x.Size, Day(x.Day))), None);
        return table.Name;
    }

    /// <summary>What a second connection sees.</summary>
    private protected string? Committed(string sql) => Databases.Query(DatabasePath, sql);

    private protected SqliteConnection Connect() => Databases.Open(DatabasePath);
}
