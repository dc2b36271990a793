// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Replay;
using Duplicati.Benchmarks.Scale;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.VolumeTest;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>What makes checks fast, and single statements and commits.</summary>
internal static class StatementTechniques
{
    private const int BlocksPerFile = 100;
    private const int Writers = 8;
    private const int RowsPerStatement = InsertBatch.DefaultRowsPerStatement;

    private static readonly string[] s_logColumns = ["OperationID", "Timestamp", "Type", "Message", "Exception"];

    // Of so many blocks one is missing in its volume, one has another size there, and one is there and not in the database.
    private const int Sound = 50;

    public static IEnumerable<Technique> All =>
        [
            new(
                "blocks of a tested volume in memory",
                "in a temporary table, and those of the database in another one",
                "block",
                CompareVolumes
            ),
            new("consistency checks in one pass", "a statement a check, as the definition reads", "block", Check),
            new("consistency mark", "a row was changed since", "block", CheckAgain),
            new("cache of statements", "prepared for each use, finalized after it", "statement", Prepare),
            new("statements through function pointers", "the provider's prepared command, parameters by name", "look-up", Call),
            new("insert batch: several rows a statement", "a statement a row", "row", Insert),
            new("queue for durable commits", "eight writers in turns on one connection, a commit each", "row", Commit)
            {
                Entries = _ => CommitRows.TotalRows,
            },
        ];

    // A test of all volumes without the volumes: their blocks are compared with the database in memory, or in a temporary table each.
    private static Trial CompareVolumes(TrialSetup setup, bool with)
    {
        var database = LocalTestDatabase.CreateAsync(setup.Copy(RebuildTrial.Template(setup.Blocks, BlocksPerFile)), null, default).Await();
        using var plain = new PlainStatements(database.Connection);
        var blocks = new List<(string Volume, string Hash, long Size)>();
        plain.Read(TechniquesSql.BlocksOfVolumes, row => blocks.Add((row.GetString(0), row.GetString(1), row.GetInt64(2))));
        var volumes = blocks.GroupBy(x => x.Volume, x => (x.Hash, x.Size)).ToList();
        database.CommitAsync(default).Await();
        var sum = 0L;
        return new Trial(
            () => sum = volumes.Aggregate(0L, (all, volume) => BlockTable.Fold(all, Compare(Begin(volume.Key), volume))),
            () => sum,
            database
        );

        FoundBlocks Begin(string volume) => with ? new FoundBlocks(database.Session, volume) : new FoundBlocks(database.Session, volume, 0);
    }

    private static long Compare(FoundBlocks found, IEnumerable<(string Hash, long Size)> volume)
    {
        using (found)
        {
            var number = 0;
            foreach (var (hash, size) in volume)
            {
                var kind = ++number % Sound;
                if (kind != 0)
                    found.AddBlockAsync(hash, kind == 1 ? size + 1 : size, default).Await();
                if (kind == 2)
                    found.AddBlockAsync(new string(hash[0], hash.Length), size, default).Await();
            }

            var sum = 0L;
            foreach (var (status, hash) in found.CompareAsync(default).ToBlockingEnumerable())
                sum = BlockTable.Fold(sum + (int)status, hash[1]);
            return sum;
        }
    }

    // All checks with tables merged in key order, against statements as the definition reads.
    private static Trial Check(TrialSetup setup, bool with)
    {
        var path = setup.Copy(RebuildTrial.Template(setup.Blocks, BlocksPerFile));
        if (with)
        {
            var database = LocalDatabase.CreateLocalDatabaseAsync(path, "Test", true, null, default).Await();
            return new Trial(() => Verify(database), () => 0, database);
        }

        var connection = SQLiteLoader.LoadConnection(path);
        var plain = new PlainStatements(connection);
        var faults = 0L;
        return new Trial(
            () =>
                faults = PlainSql
                    .Checks.Append(TechniquesSql.DifferentLists)
                    .Sum(check => plain.Scalar(check, (long)SyntheticBackup.EntriesInList)),
            () => faults,
            plain,
            connection
        );
    }

    // A second check of a database that has not changed, against one with a row that no check looks at.
    private static Trial CheckAgain(TrialSetup setup, bool with)
    {
        var path = setup.Copy(RebuildTrial.Template(setup.Blocks, BlocksPerFile));
        var database = LocalDatabase.CreateLocalDatabaseAsync(path, "Test", true, null, default).Await();
        BackupTrials.Commit(database);
        Verify(database);
        if (!with)
        {
            database.Session.Do(session => session.Run(TechniquesSql.AddLogRow), default);
            BackupTrials.Commit(database);
        }

        return new Trial(() => Verify(database), () => 0, database);
    }

    // Throws at a fault.
    private static void Verify(LocalDatabase database) =>
        database.VerifyConsistencyAsync(SyntheticBackup.BlockBytes, SyntheticBackup.HashBytes, true, default).Await();

    // One row by its id, with a statement from the cache or one prepared for the purpose.
    private static Trial Prepare(TrialSetup setup, bool with)
    {
        var connection = SQLiteLoader.LoadConnection(setup.Copy(BlockDatabase.Template(setup.Blocks)));
        var statements = new StatementCache(connection);
        statements.Execute(BlockTableSql.Begin);
        var sum = 0L;
        return new Trial(
            () =>
            {
                for (var i = 1; i <= setup.Blocks; i++)
                {
                    using var row = with ? statements.Take(BlockSql.KeyOfId) : statements.Prepare(BlockSql.KeyOfId);
                    row.Bind(1, i).Read();
                    sum = BlockTable.Fold(sum, row.GetInt64(1));
                }
            },
            () => sum,
            statements,
            connection
        );
    }

    // Look-ups of blocks by statement, through function pointers or through the provider's prepared command.
    private static Trial Call(TrialSetup setup, bool with)
    {
        var connection = SQLiteLoader.LoadConnection(setup.Copy(BlockDatabase.Template(setup.Blocks)));
        var statements = new StatementCache(connection);
        var questions = BackupTrials.Questions(0, setup.Blocks);
        var plain = new PlainStatements(connection);
        var sum = 0L;
        return new Trial(
            () =>
            {
                statements.Execute(BlockTableSql.Begin);
                sum = with ? Find(statements, questions) : Find(plain, questions);
                statements.Execute(BlockTableSql.Commit);
            },
            () => sum,
            plain,
            statements,
            connection
        );
    }

    private static long Find(StatementCache statements, BlockQuestions questions)
    {
        var (sum, hashes, sizes) = (0L, questions.Utf8, questions.Sizes);
        using var find = statements.Take(BlockTableSql.Find);
        for (var i = 0; i < questions.Count; i++)
        {
            var hash = hashes.AsSpan(i * BlockKeys.TextBytes, BlockKeys.TextBytes);
            sum = BlockTable.Fold(sum, find.BindUtf8(1, hash).Bind(2, sizes[i]).ExecuteInt64());
        }

        return sum;
    }

    private static long Find(PlainStatements plain, BlockQuestions questions)
    {
        var sum = 0L;
        for (var i = 0; i < questions.Count; i++)
            sum = BlockTable.Fold(sum, (long)plain.Again(PlainSql.FindBlock, questions.Texts[i], questions.Sizes[i])!);
        return sum;
    }

    // Rows of a log, as an import of them would do it, committed at the end.
    private static Trial Insert(TrialSetup setup, bool with)
    {
        var connection = SQLiteLoader.LoadConnection(setup.Copy(RebuildTrial.Template(setup.Blocks, BlocksPerFile)));
        var statements = new StatementCache(connection);
        return new Trial(InsertAll, () => statements.ReadNumber(TechniquesSql.LogRows), statements, connection);

        void InsertAll()
        {
            using var rows = new InsertBatch(statements, "LogData", s_logColumns, rowsPerStatement: with ? RowsPerStatement : 1);
            for (var i = 1; i <= setup.Blocks; i++)
            {
                rows.Set(0, i);
                rows.Set(1, i * 7L);
                rows.Set(2, "Information");
                rows.Set(3, "A file was backed up");
                rows.EndRow();
            }
        }
    }

    // Single rows by eight writers, each durable before its writer goes on.
    private static Trial Commit(TrialSetup setup, bool with)
    {
        var benchmark = new CommitRows { Way = with ? CommitWays.Queue : CommitWays.Turns, Writers = Writers };
        benchmark.MakeFolder();
        benchmark.OpenFresh();
        return new Trial(benchmark.Run, Answer, new Removal(benchmark));

        // Throws unless all rows are there.
        long Answer()
        {
            benchmark.CheckAndClose();
            return CommitRows.TotalRows;
        }
    }

    private sealed class Removal(DatabaseBenchmark benchmark) : IDisposable
    {
        public void Dispose() => benchmark.RemoveFolder();
    }
}
