// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

// SQLiteHelper alone: a tuned connection, a cached statement, a batch, and a file that many callers read and write at once.
// dotnet run -c Release --project samples/FastTable -- numbers.sqlite
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;

var path = Path.GetFullPath(args is [var name] ? name : "numbers.sqlite");

// A preset sets what fits together: journal, cache, memory. It holds for connections that are opened inside the block.
using (ConnectionPreset.Use("throughput"))
using (var connection = SQLiteLoader.LoadConnection(path))
using (var statements = new StatementCache(connection))
{
    statements.Execute("""CREATE TABLE IF NOT EXISTS "Square" ("Number" INTEGER PRIMARY KEY, "Square" INTEGER NOT NULL)""");
    statements.Execute("""DELETE FROM "Square" """);

    // Many rows a statement and one commit at the end.
    using (var rows = new InsertBatch(statements, "Square", ["Number", "Square"]))
    {
        for (var i = 1; i <= 100_000; i++)
        {
            rows.Set(0, i);
            rows.Set(1, (long)i * i);
            rows.EndRow();
        }
    }

    // Prepared once, however often it is taken.
    long sum = 0;
    for (var i = 1; i <= 1_000; i++)
    {
        using var one = statements.Take("""SELECT "Square" FROM "Square" WHERE "Number" = ?1""");
        sum += one.Bind(1, i).ExecuteInt64();
    }

    Console.WriteLine($"The first 1000 squares add up to {sum}.");
}

// One writer and many readers. Each write ends when its row is on the disk; what comes at the same time shares a commit.
await using (var database = await ConcurrentDatabase.OpenAsync(path, ConnectionPreset.Durable))
{
    await Task.WhenAll(
        Enumerable
            .Range(100_001, 100)
            .Select(i =>
                database.WriteAsync(statements =>
                {
                    using var insert = statements.Take("""INSERT INTO "Square" ("Number", "Square") VALUES (?1, ?2)""");
                    insert.Bind(1, i).Bind(2, (long)i * i).ExecuteNonQuery();
                })
            )
    );

    // A read sees one snapshot and waits for no write.
    var rows = await database.ReadAsync(statements =>
    {
        using var count = statements.Take("""SELECT COUNT(*) FROM "Square" WHERE "Number" > 100000""");
        return count.ExecuteInt64();
    });
    Console.WriteLine($"{rows} rows were committed in groups.");

    // A copy of one moment, while others read and write.
    var copy = $"{path}.copy";
    File.Delete(copy);
    await database.BackupToAsync(copy);
    Console.WriteLine($"The copy is {copy}.");
}
