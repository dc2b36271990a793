// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Security.Cryptography;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Blocks;

/// <summary>A backup database in a folder of its own, with a transaction and a session on it.</summary>
internal sealed class BlockFixture : IDisposable
{
    private readonly TestFolder m_folder = new();

    internal BlockFixture()
    {
        Connection = Open();
        Transaction = new ReusableTransaction(Connection);
    }

    internal SqliteConnection Connection { get; private set; }

    internal ReusableTransaction Transaction { get; private set; }

    internal DatabaseSession Session => Transaction.Session;

    internal BlockMap Map => BlockMap.Of(Session);

    /// <summary>The Base64 text of a digest that depends on a number only.</summary>
    internal static string Hash(long number)
    {
        Span<byte> bytes = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, number);
        return Convert.ToBase64String(SHA256.HashData(bytes));
    }

    /// <summary>One more connection to the file.</summary>
    internal SqliteConnection Open()
    {
        var path = m_folder.File("backup.sqlite");
        var connection = SQLiteLoader.LoadConnection(path);
        DatabaseUpgrader.UpgradeDatabase(connection, path, typeof(DatabaseSchemaMarker));
        return connection;
    }

    /// <summary>Ends connection and session and begins anew, as the next operation would.</summary>
    internal void Reopen()
    {
        Close();
        Connection = Open();
        Transaction = new ReusableTransaction(Connection);
    }

    /// <summary>Adds rows by plain statements and commits.</summary>
    internal void Fill(long first, long count)
    {
        using (var insert = Session.Take("""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES (?1, ?2, 1)"""))
        {
            for (var i = first; i < first + count; i++)
                insert.Bind(1, Hash(i)).Bind(2, 1024L).ExecuteNonQuery();
        }

        Transaction.Commit();
    }

    /// <summary>Adds a block that the map does not know, and returns its id.</summary>
    internal long Add(string hash, long size, long volumeId) => Map.Add(Map.KeyOf(hash, size), hash, size, volumeId);

    /// <summary>What a statement says.</summary>
    internal long FindByStatement(string hash, long size)
    {
        using var find = Session.Take(BlockSql.FindId);
        return find.Bind(1, hash).Bind(2, size).ExecuteInt64();
    }

    internal void Close()
    {
        Transaction.Dispose();
        Session.Dispose();
        Connection.Dispose();
    }

    public void Dispose()
    {
        Close();
        m_folder.Dispose();
    }
}
