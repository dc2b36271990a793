// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using LiteDB;

namespace Duplicati.Benchmarks.Contenders.Engines;

/// <summary>
/// LiteDB: documents of which the hash is the id. All threads share the database. Its commits write the log and do not flush it, so that
/// is done here, from outside; Windows does not let others open the log.
/// </summary>
internal sealed class LiteEngine : IEngine
{
    private readonly LiteDatabase m_database;
    private readonly ILiteCollection<BsonDocument> m_items;
    private readonly Lazy<FileStream>? m_log;

    public LiteEngine(string path)
    {
        m_database = new LiteDatabase(new ConnectionString { Filename = path, Connection = ConnectionType.Direct });
        m_items = m_database.GetCollection("Item");
        m_log = OperatingSystem.IsWindows() ? null : new Lazy<FileStream>(() => OpenLog(path));
        Version = $"LiteDB {PackageVersion.Of(typeof(LiteDatabase))}";
        Settings =
            $"connection direct, checkpoint after {m_database.CheckpointSize} pages, log {(m_log is null ? "not flushed" : "flushed from outside")}";
    }

    public string Version { get; }

    public string Settings { get; }

    public IEngineSession OpenSession() => new Session(m_database, m_items, m_log);

    public long Sum() =>
        m_items
            .FindAll()
            .GroupBy(x => x["Volume"].AsInt64, x => x["Size"].AsInt64)
            .OrderBy(x => x.Key)
            .Aggregate(0L, (sum, volume) => Item.Fold(sum, volume.Key, volume.LongCount(), volume.Sum()));

    // Closing brings the log in. A checkpoint before it can wait a minute for a thread's transaction, and fail.
    public void Dispose()
    {
        m_database.Dispose();
        if (m_log is { IsValueCreated: true })
            m_log.Value.Dispose();
    }

    private static FileStream OpenLog(string path) =>
        new($"{path}-log", FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);

    // After a fault of its own it closes its files, and what is called then fails in any way.
    private sealed class Session(LiteDatabase database, ILiteCollection<BsonDocument> items, Lazy<FileStream>? log) : IEngineSession
    {
        // Several documents in one call are one transaction.
        public void Insert(int first, int count)
        {
            try
            {
                if (count == 1)
                    items.Insert(Document(first));
                else
                    items.Insert(Enumerable.Range(first, count).Select(Document));
            }
            catch (Exception ex)
            {
                throw new EngineFaultException(ex.Message, ex);
            }

            if (log is not null)
                RandomAccess.FlushToDisk(log.Value.SafeFileHandle);
        }

        public long Read(ReadOnlySpan<string> keys)
        {
            try
            {
                var sum = 0L;
                var isSnapshot = keys.Length > 1 && database.BeginTrans();
                string? missing = null;
                foreach (var key in keys)
                {
                    if (items.FindById(key) is { } found)
                        sum = Item.Fold(sum, found["Size"].AsInt64, found["Volume"].AsInt64);
                    else
                        missing = key;
                }

                if (isSnapshot)
                    database.Commit();
                return missing is null ? sum : throw new EngineFaultException($"The row {missing} is there, and not found.");
            }
            catch (Exception ex) when (ex is not EngineFaultException)
            {
                throw new EngineFaultException(ex.Message, ex);
            }
        }

        public void Dispose()
        {
            // The database belongs to all.
        }

        private static BsonDocument Document(int row) =>
            new()
            {
                ["_id"] = Item.Hash(row),
                ["Size"] = Item.Size(row),
                ["Volume"] = Item.Volume(row),
            };
    }
}
