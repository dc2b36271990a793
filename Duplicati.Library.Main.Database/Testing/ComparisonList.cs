// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Testing;

/// <summary>
/// What was found in one remote volume, in a temporary table of its own, to be compared with what the database says of it.
/// Comparing is of the order n log n in both sides, may be repeated, and reads the answer before handing it out.
/// </summary>
internal abstract class ComparisonList : IDisposable, IAsyncDisposable
{
    private readonly TempTableTemplate m_table;
    private readonly string m_insertText;
    private readonly string m_digits;
    private Statement? m_insert;
    private bool m_disposed;

    private protected ComparisonList(DatabaseSession session, string volume, TempTableTemplate table, string insert)
    {
        Session = session;
        Volume = volume;
        m_table = table;
        m_digits = table.Make(session);
        m_insertText = TempTableTemplate.Text(insert, m_digits);
    }

    private protected DatabaseSession Session { get; }

    /// <summary>Name of the remote volume that the content belongs to.</summary>
    private protected string Volume { get; }

    /// <summary>Number of rows added so far; tells rows of the same key apart.</summary>
    private protected long Serial { get; private set; }

    /// <summary>
    /// Removes the table; errors are ignored, since a rollback or the end of the connection may have removed it. May be called more than
    /// once.
    /// </summary>
    public void Dispose()
    {
        if (m_disposed)
            return;

        m_disposed = true;
        Session.TryRemove(session =>
        {
            m_insert?.Dispose();
            m_table.Remove(session, m_digits);
        });
        GC.SuppressFinalize(this);
    }

    /// <summary>As <see cref="Dispose"/>.</summary>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>
    /// Takes something that was found, with the session's gate held. Completes synchronously, without allocating when it succeeds.
    /// </summary>
    internal static Task Take<T>(DatabaseSession session, T found, Action<T> take, CancellationToken token)
    {
        try
        {
            token.ThrowIfCancellationRequested();
            lock (session.Gate)
                take(found);
            return Task.CompletedTask;
        }
        catch (OperationCanceledException) when (token.IsCancellationRequested)
        {
            return Task.FromCanceled(token);
        }
        catch (Exception ex)
        {
            return Task.FromException(ex);
        }
    }

    /// <summary>Adds one row. Completes as <see cref="Take"/> does.</summary>
    private protected Task Add<T>(T row, Action<Statement, T> bind, CancellationToken token) =>
        Take(Session, (List: this, Row: row, Bind: bind), static x => x.List.Insert(x.Row, x.Bind), token);

    /// <summary>Adds one row, with the session's gate held.</summary>
    private protected void Insert<T>(T row, Action<Statement, T> bind)
    {
        ObjectDisposedException.ThrowIf(m_disposed, this);
        m_insert ??= Session.Statements.Prepare(m_insertText);
        Serial++;
        bind(m_insert, row);
        m_insert.ExecuteNonQuery();
    }

    /// <summary>Reads the keys a statement about this list yields, and appends them with a status.</summary>
    private protected void Collect(
        List<KeyValuePair<TestEntryStatus, string>> differences,
        TestEntryStatus status,
        string sql,
        bool aboutVolume = false
    )
    {
        using var rows = Session.Statements.Prepare(TempTableTemplate.Text(sql, m_digits));
        if (aboutVolume)
            rows.Bind(1, Volume);
        while (rows.Read())
            differences.Add(KeyValuePair.Create(status, rows.GetString(0)!));
    }
}

/// <summary>The blocks of a volume, by hash; see <see cref="FoundBlocks"/>.</summary>
internal sealed class StoredBlocks(DatabaseSession session, string volume)
    : ComparisonList(session, volume, TestingTables.Blocklist, ListSql.AddBlock)
{
    /// <summary>Adds a block, with the session's gate held.</summary>
    internal void Add(string hash, long size) =>
        Insert((Hash: hash, Size: size), static (insert, x) => insert.Bind(1, x.Hash).Bind(2, x.Size));

    /// <summary>The differences from what the database says, with the session's gate held.</summary>
    internal List<KeyValuePair<TestEntryStatus, string>> Compare(DatabaseSession session)
    {
        var differences = new List<KeyValuePair<TestEntryStatus, string>>();
        VolumeContent.Of(session).FillBlocks(Volume);
        Collect(differences, TestEntryStatus.Missing, ListSql.MissingBlocks);
        Collect(differences, TestEntryStatus.Extra, ListSql.ExtraBlocks);
        Collect(differences, TestEntryStatus.Modified, ListSql.ModifiedBlocks);
        return differences;
    }
}

/// <summary>The blocklists stored in an index volume, by hash and size: one of another size is both missing and extra.</summary>
internal sealed class FoundBlocklists(DatabaseSession session, string volume)
    : ComparisonList(session, volume, TestingTables.BlocklistHashList, ListSql.AddBlocklist),
        LocalTestDatabase.IBlocklistHashList
{
    public Task AddBlockHashAsync(string hash, long size, CancellationToken token) =>
        Add((Hash: hash, Size: size), static (insert, x) => insert.Bind(1, x.Hash).Bind(2, x.Size), token);

    public IAsyncEnumerable<KeyValuePair<TestEntryStatus, string>> CompareAsync(
        int hashesPerBlock,
        int hashSize,
        int blockSize,
        CancellationToken token
    ) =>
        Session.SnapshotAsync(
            session =>
            {
                var differences = new List<KeyValuePair<TestEntryStatus, string>>();
                VolumeContent.Of(session).FillBlocklists(Volume, hashesPerBlock, hashSize, blockSize);
                Collect(differences, TestEntryStatus.Missing, ListSql.MissingBlocklists);
                Collect(differences, TestEntryStatus.Extra, ListSql.ExtraBlocklists);
                return differences;
            },
            token
        );
}

/// <summary>The files of a list volume, by full path.</summary>
internal sealed class FoundFiles(DatabaseSession session, string volume)
    : ComparisonList(session, volume, TestingTables.Filelist, ListSql.AddFile),
        LocalTestDatabase.IFilelist
{
    // What has no content has no length either.
    private const long NoSize = -1;

    public Task AddAsync(
        string path,
        long size,
        string? hash,
        long metasize,
        string? metahash,
        IEnumerable<string> blocklistHashes,
        FilelistEntryType type,
        DateTime time,
        CancellationToken token
    ) =>
        Add(
            (List: this, Path: path, Size: hash is null ? NoSize : size, Hash: hash, Metasize: metasize, Metahash: metahash),
            static (insert, x) =>
                insert.Bind(1, x.Path).Bind(2, x.List.Serial).Bind(3, x.Size).Bind(4, x.Hash).Bind(5, x.Metasize).Bind(6, x.Metahash),
            token
        );

    public IAsyncEnumerable<KeyValuePair<TestEntryStatus, string>> CompareAsync(CancellationToken token) =>
        Session.SnapshotAsync(
            session =>
            {
                var differences = new List<KeyValuePair<TestEntryStatus, string>>();
                TestingTables.ComparedFile.Reset(session);
                using (var fill = session.Take(ListSql.FillFiles))
                    fill.Bind(1, Volume).ExecuteNonQuery();
                Collect(differences, TestEntryStatus.Missing, ListSql.MissingFiles);
                Collect(differences, TestEntryStatus.Extra, ListSql.ExtraFiles);
                Collect(differences, TestEntryStatus.Modified, ListSql.ModifiedFiles);
                // As big as the list itself, and of no use to the next comparison.
                TestingTables.ComparedFile.Reset(session);
                return differences;
            },
            token
        );
}

/// <summary>The block volumes that an index volume describes, by name.</summary>
internal sealed class FoundLinks(DatabaseSession session, string volume)
    : ComparisonList(session, volume, TestingTables.Indexlist, ListSql.AddLink),
        LocalTestDatabase.IIndexlist
{
    public Task AddBlockLinkAsync(string filename, string hash, long length, CancellationToken token) =>
        Add(
            (List: this, Name: filename, Hash: hash, Size: length),
            static (insert, x) => insert.Bind(1, x.Name).Bind(2, x.List.Serial).Bind(3, x.Hash).Bind(4, x.Size),
            token
        );

    public IAsyncEnumerable<KeyValuePair<TestEntryStatus, string>> CompareAsync(CancellationToken token) =>
        Session.SnapshotAsync(
            session =>
            {
                var differences = new List<KeyValuePair<TestEntryStatus, string>>();
                Collect(differences, TestEntryStatus.Missing, ListSql.MissingLinks, aboutVolume: true);
                Collect(differences, TestEntryStatus.Extra, ListSql.ExtraLinks, aboutVolume: true);
                Collect(differences, TestEntryStatus.Modified, ListSql.ModifiedLinks, aboutVolume: true);
                return differences;
            },
            token
        );
}
