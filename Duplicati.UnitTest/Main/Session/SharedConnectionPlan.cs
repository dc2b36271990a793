// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Main.LocalDatabaseTests;
using Duplicati.UnitTest.Main.Plain;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>
/// A backup, a recreate, a compact, a test and a search for broken files that work in turn on one connection, on small random contents,
/// and the same on plain statements: equal answers at each step, equal tables when asked.
/// </summary>
internal sealed class SharedConnectionPlan(int seed) : IAsyncDisposable
{
    private const int Blocks = 60;

    private readonly TestFolder m_folder = new();
    private readonly Random m_random = new(seed);
    private LocalBackupDatabase m_owner = null!;
    private LocalRecreateDatabase m_recreate = null!;
    private LocalDeleteDatabase m_delete = null!;
    private LocalListBrokenFilesDatabase m_broken = null!;
    private LocalDeleteDatabase.IBlockQuery m_query = null!;
    private SqliteConnection m_kept = null!;
    private PlainLayer m_plain = null!;

    private string DatabasePath => m_folder.File("local.sqlite");

    internal async Task BeginAsync()
    {
        await using (var made = await LocalDatabase.CreateLocalDatabaseAsync(DatabasePath, "Test", true, null, default))
        {
            InconsistentRows.Fill(made.Connection, m_random);
            await made.CommitAsync(default);
        }

        File.Copy(DatabasePath, m_folder.File("plain.sqlite"));
        m_plain = new PlainLayer(m_folder.File("plain.sqlite"));
        await OpenAsync();
    }

    internal async Task StepAsync()
    {
        await (
            m_random.Next(20) switch
            {
                < 4 => AddBlockAsync(),
                < 8 => UpdateBlockAsync(),
                < 10 => AddBlocksetAsync(),
                < 12 => UseBlockAsync(),
                < 13 => RegisterCopyAsync(),
                < 14 => ForgetVolumeAsync(),
                < 16 => CountBrokenAsync(),
                < 17 => StatementAsync(),
                < 18 => EndTransactionAsync(),
                < 19 => OtherConnectionAsync(),
                _ => ReopenAsync(),
            }
        );
    }

    internal void Compare() => Assert.That(AllRows.Of(m_kept), Is.EqualTo(AllRows.Of(m_plain.Connection)));

    private async Task OpenAsync()
    {
        m_owner = await LocalBackupDatabase.CreateAsync(DatabasePath, new Options([]), default);
        m_recreate = await LocalRecreateDatabase.CreateAsync(m_owner, new Options([]), null, default);
        m_delete = await LocalDeleteDatabase.CreateAsync(m_recreate, null, default);
        m_broken = await LocalListBrokenFilesDatabase.CreateAsync(m_delete, null, default);
        m_query = await m_delete.CreateBlockQueryHelperAsync(default);
        m_kept = m_owner.Session.Connection;
        m_plain.Reopen();
    }

    private async Task AddBlockAsync()
    {
        var (hash, volume) = (Hash(), Volume());
        Assert.That(await m_owner.AddBlockAsync(hash, 1024, volume, default), Is.EqualTo(m_plain.AddBlock(hash, 1024, volume)));
    }

    private async Task UpdateBlockAsync()
    {
        var (hash, volume) = (Hash(), Volume());
        var id = m_plain.FindBlock(hash, 1024);
        var present = m_plain.Number("SELECT VolumeID FROM Block WHERE ID = @0", id);
        if (id < 0)
            m_plain.AddBlock(hash, 1024, volume);
        else if (present != volume)
            m_plain.Run("INSERT OR IGNORE INTO DuplicateBlock (BlockID, VolumeID) VALUES (@0, @1)", id, volume);
        Assert.That(await m_recreate.UpdateBlockAsync(hash, 1024, volume, default), Is.EqualTo((id < 0 || present != volume, id < 0)));
    }

    private async Task AddBlocksetAsync()
    {
        var (hash, length) = ($"full{m_random.Next(40)}", m_random.Next(3));
        var id = m_plain.Number("SELECT ID FROM Blockset WHERE FullHash = @0 AND Length = @1", hash, length);
        if (id < 0)
        {
            m_plain.Run("INSERT INTO Blockset (FullHash, Length) VALUES (@0, @1)", hash, length);
            id = m_plain.Number("SELECT last_insert_rowid()");
        }

        Assert.That(await m_recreate.AddBlocksetAsync(hash, length, [], 0, default), Is.EqualTo(id));
    }

    private async Task UseBlockAsync()
    {
        var (hash, volume) = (Hash(), Volume());
        var isThere = m_plain.Number("SELECT ID FROM Block WHERE Hash = @0 AND Size = 1024 AND VolumeID = @1", hash, volume) >= 0;
        Assert.That(await m_query.UseBlockAsync(hash, 1024, volume, default), Is.EqualTo(isThere));
    }

    private async Task RegisterCopyAsync()
    {
        var (hash, volume) = (Hash(), Volume());
        m_plain.Run(
            "INSERT OR IGNORE INTO DuplicateBlock (BlockID, VolumeID) SELECT ID, @1 FROM Block WHERE Hash = @0 AND Size = 1024",
            hash,
            volume
        );
        await m_delete.RegisterDuplicatedBlockAsync(hash, 1024, volume, default);
    }

    private async Task ForgetVolumeAsync()
    {
        var volume = Volume();
        m_plain.Run("DELETE FROM IndexBlockLink WHERE IndexVolumeID = @0 OR BlockVolumeID = @0", volume);
        foreach (var table in new[] { "Block", "DeletedBlock", "DuplicateBlock" })
            m_plain.Run($"DELETE FROM {table} WHERE VolumeID = @0", volume);
        await m_broken.RemoveMissingBlocksAsync([$"v{volume}", "unknown", $"v{volume}"], default);
    }

    private async Task CountBrokenAsync()
    {
        var counts = await m_broken
            .GetBrokenFilesetsAsync(default, null, default)
            .Select(x => $"{x.FilesetID}|{x.RemoveFileCount}")
            .ToListAsync();
        Assert.That(
            counts,
            Is.EqualTo(
                m_plain.Connection.Lines(
                    $"SELECT FilesetID, COUNT(*) FROM FilesetEntry WHERE FileID IN ({PlainLayer.Broken}) AND FilesetID IN (SELECT ID FROM Fileset) GROUP BY 1 ORDER BY 1"
                )
            )
        );
    }

    private Task StatementAsync()
    {
        var sql = m_random.Next(4) switch
        {
            0 => string.Create(CultureInfo.InvariantCulture, $"DELETE FROM Block WHERE ID % 7 = {m_random.Next(7)}"),
            1 => $"INSERT OR IGNORE INTO Block (Hash, Size, VolumeID) VALUES ('{Hash()}', 1024, {Volume()})",
            2 => "DELETE FROM DuplicateBlock",
            _ => string.Create(CultureInfo.InvariantCulture, $"DELETE FROM BlocksetEntry WHERE BlocksetID = {m_random.Next(1, 21)}"),
        };
        m_kept.Execute(sql);
        m_plain.Connection.Execute(sql);
        return Task.CompletedTask;
    }

    private async Task EndTransactionAsync()
    {
        if (m_random.Next(3) == 0)
        {
            await m_delete.Transaction.RollBackAsync(default(CancellationToken));
            m_plain.RollBack();
            return;
        }

        await m_broken.CommitAsync(default);
        m_plain.Commit();
    }

    private async Task OtherConnectionAsync()
    {
        await m_recreate.CommitAsync(default);
        m_plain.Commit();
        var sql =
            $"INSERT OR IGNORE INTO Block (Hash, Size, VolumeID) VALUES ('{Hash()}', 1024, 1); DELETE FROM Block WHERE ID = {m_random.Next(1, 90)}; INSERT OR IGNORE INTO Blockset (FullHash, Length) VALUES ('full{m_random.Next(40)}', 1)";
        Databases.Execute(DatabasePath, sql);
        m_plain.Connection.Execute(sql);
        m_plain.Commit();
    }

    // The disposal of a recreate commits, unless its owner is gone and has rolled back.
    private async Task ReopenAsync()
    {
        var isOwnerFirst = m_random.Next(2) == 0;
        if (isOwnerFirst)
            m_plain.RollBack();
        else
            m_plain.Commit();
        await CloseAsync(isOwnerFirst);
        await OpenAsync();
    }

    private async Task CloseAsync(bool isOwnerFirst)
    {
        m_query.Dispose();
        LocalDatabase[] children = [m_broken, m_delete, m_recreate];
        foreach (var item in isOwnerFirst ? children.Prepend(m_owner) : children.Append(m_owner))
            await item.DisposeAsync();
    }

    private string Hash() => BackupPlan.Hash(m_random.Next(Blocks));

    private long Volume() => m_random.Next(1, 5);

    public async ValueTask DisposeAsync()
    {
        await CloseAsync(isOwnerFirst: false);
        m_plain.Dispose();
        m_folder.Dispose();
    }
}
