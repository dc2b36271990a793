// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>A fresh database file for each test, opened by one owning object.</summary>
public abstract class LocalDatabaseTestBase
{
    private TestFolder m_folder = null!;

    /// <summary>Path of the database file.</summary>
    private protected string DatabasePath => m_folder.File("local.sqlite");

    /// <summary>The owner of the connection.</summary>
    private protected LocalDatabase Db { get; private set; } = null!;

    [SetUp]
    public async Task Open()
    {
        m_folder = new TestFolder();
        Db = await OpenAsync();
    }

    [TearDown]
    public void Close()
    {
        Db.Dispose();
        m_folder.Dispose();
    }

    /// <summary>Another file in the folder of the test.</summary>
    private protected string OtherFile(string name) => m_folder.File(name);

    /// <summary>Disposes the owner without a commit and opens the file again.</summary>
    private protected async Task ReopenAsync()
    {
        Db.Dispose();
        Db = await OpenAsync();
    }

    private protected Task<LocalDatabase> OpenAsync(string? operation = "List") =>
        LocalDatabase.CreateLocalDatabaseAsync(DatabasePath, operation, true, null, CancellationToken.None);

    /// <summary>What a second connection sees: committed rows only.</summary>
    private protected string? Committed(string sql)
    {
        using var connection = new SqliteConnection($"Data Source={DatabasePath};Pooling=false;Mode=ReadWrite");
        connection.Open();
        return connection.Scalar(sql);
    }

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
