// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>A fresh database file for each test, opened by one owning object.</summary>
public abstract class LocalDatabaseTestBase : FolderTestBase
{
    /// <summary>Path of the database file.</summary>
    private protected string DatabasePath => Folder.File("local.sqlite");

    /// <summary>The owner of the connection.</summary>
    private protected LocalDatabase Db { get; private set; } = null!;

    [SetUp]
    public async Task Open() => Db = await OpenAsync();

    [TearDown]
    public void Close() => Db.Dispose();

    /// <summary>Another file in the folder of the test.</summary>
    private protected string OtherFile(string name) => Folder.File(name);

    /// <summary>Disposes the owner without a commit and opens the file again.</summary>
    private protected async Task ReopenAsync()
    {
        Db.Dispose();
        Db = await OpenAsync();
    }

    private protected Task<LocalDatabase> OpenAsync(string? operation = "List") =>
        LocalDatabase.CreateLocalDatabaseAsync(DatabasePath, operation, true, null, default);

    /// <summary>What a second connection sees: committed rows only.</summary>
    private protected string? Committed(string sql) => Databases.Query(DatabasePath, sql);

    /// <summary>What the owner's open transaction sees.</summary>
    private protected string? Scalar(string sql) => Db.Connection.Scalar(sql);

    private protected void Execute(string sql) => Db.Connection.Execute(sql);

    private protected static async Task<List<T>> ListAsync<T>(IAsyncEnumerable<T> rows)
    {
        var result = new List<T>();
        await foreach (var row in rows)
            result.Add(row);
        return result;
    }
}
