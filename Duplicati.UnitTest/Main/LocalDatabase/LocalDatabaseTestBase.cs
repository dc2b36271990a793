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

/// <summary>A small consistent backup, on which each of <see cref="LocalDatabaseMembers"/> has something to do.</summary>
public abstract class LocalDatabaseMembersTestBase : LocalDatabaseTestBase
{
    private protected const int MOST_STEPS = 20_000;

    [SetUp]
    public async Task Fill()
    {
        Execute(
            """
            INSERT INTO Remotevolume (ID, OperationID, Name, Type, State, VerificationCount, DeleteGraceTime, ArchiveTime, LockExpirationTime)
            VALUES (1, 1, 'blocks', 'Blocks', 'Uploaded', 0, 0, 0, 0), (2, 1, 'list', 'Files', 'Uploaded', 0, 0, 0, 0);
            INSERT INTO Fileset (ID, OperationID, VolumeID, IsFullBackup, Timestamp) VALUES (1, 1, 2, 1, 1000);
            INSERT INTO Block (ID, Hash, Size, VolumeID) VALUES (1, 'AAAA', 100, 1), (2, 'BBBB', 50, 1), (3, 'CCCC', 20, 1);
            INSERT INTO Blockset (ID, Length, FullHash) VALUES (1, 150, 'file'), (2, 20, 'CCCC');
            INSERT INTO BlocksetEntry VALUES (1, 0, 1), (1, 1, 2), (2, 0, 3);
            INSERT INTO BlocklistHash VALUES (1, 0, 'DDDD');
            INSERT INTO Metadataset (ID, BlocksetID) VALUES (1, 2);
            INSERT INTO PathPrefix VALUES (1, '/');
            INSERT INTO FileLookup VALUES (1, 1, 'f.txt', 1, 1), (2, 1, 'd/', -100, 1);
            INSERT INTO FilesetEntry VALUES (1, 1, 0), (1, 2, 0);
            """
        );
        await Db.Transaction.CommitAsync(CancellationToken.None);
    }
}
