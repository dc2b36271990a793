// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Backup;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>Two database objects of one kind on one file, and a connection that changes it.</summary>
internal sealed class ToldPair : IAsyncDisposable
{
    /// <summary>The kind that all others are made from.</summary>
    internal const string Base = "Local";

    private const string Changed = """
        BEGIN;
        UPDATE "Remotevolume" SET "State" = CASE "State" WHEN 'Uploaded' THEN 'Deleting' ELSE 'Uploaded' END, "Size" = "Size" + 1, "LockExpirationTime" = 5;
        UPDATE "Fileset" SET "Timestamp" = "Timestamp" - 86400, "IsFullBackup" = 1 - "IsFullBackup";
        INSERT INTO "Configuration" ("Key", "Value") VALUES ('pair', '1');
        UPDATE "Blockset" SET "Length" = "Length" + 1;
        UPDATE "FileLookup" SET "Path" = "Path" || 'x';
        DELETE FROM "FilesetEntry" WHERE "FileID" = (SELECT MIN("FileID") FROM "FilesetEntry");
        COMMIT
        """;

    private readonly SqliteConnection m_pristine;
    private readonly SqliteConnection m_other;
    private readonly List<LocalDatabase> m_owners = [];
    private string? m_version;

    private ToldPair(SqliteConnection pristine, SqliteConnection other) => (m_pristine, m_other) = (pristine, other);

    /// <summary>Is told, and writes.</summary>
    internal LocalDatabase Mine { get; private set; } = null!;

    /// <summary>Sees what was committed since.</summary>
    internal LocalDatabase Theirs { get; private set; } = null!;

    /// <summary>True if <see cref="Mine"/> has changed rows since the last change here, whether it has committed them or not.</summary>
    internal bool HasWritten => Mine.Session.HasUncommittedChanges || m_other.Scalar("PRAGMA data_version") != m_version;

    internal static async Task<ToldPair> OpenAsync(BackupFixture sample, string api)
    {
        var path = Path.Combine(Path.GetDirectoryName(sample.Path)!, api + ".sqlite");
        File.Copy(sample.Path, path);
        var pair = new ToldPair(Databases.Open(sample.Path), Databases.Open(path));
        pair.Mine = await pair.OpenAsync(path, api);
        pair.Theirs = await pair.OpenAsync(path, api);
        return pair;
    }

    /// <summary>Begins anew, on the content that the file had first.</summary>
    internal async Task RestoreAsync()
    {
        await Mine.Transaction.RollBackAsync(default(CancellationToken));
        await Theirs.Transaction.RollBackAsync(default(CancellationToken));
        m_pristine.BackupDatabase(m_other);
        Note();
    }

    /// <summary>Changes what members tell, and commits.</summary>
    internal void Change()
    {
        m_other.Execute(Changed);
        Note();
    }

    /// <summary>True if the transaction of <see cref="Mine"/> keeps old content. Changes the file.</summary>
    internal bool HasRead()
    {
        if (Mine.Session.Statements.HasUncommittedWrites)
            return false;
        Change();
        using var statement = Mine.Session.Statements.Prepare("""SELECT COUNT(*) FROM "Configuration" WHERE "Key" = 'pair'""");
        return statement.ExecuteInt64() == 0;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var database in new[] { Mine, Theirs }.Concat(m_owners))
            await database.DisposeAsync();
        m_other.Dispose();
        m_pristine.Dispose();
    }

    private async Task<LocalDatabase> OpenAsync(string path, string api)
    {
        var owner = await LocalDatabase.CreateLocalDatabaseAsync(path, "List", true, null, default);
        await owner.CommitAsync(default);
        m_owners.Add(owner);
        var database = api == Base ? owner : await ExternalThreads.ApiTypes()[api](path, owner);
        await database.CommitAsync(default);
        return database;
    }

    private void Note() => m_version = m_other.Scalar("PRAGMA data_version");
}
