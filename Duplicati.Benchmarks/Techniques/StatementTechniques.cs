// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Scale;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>What makes the questions of a restore fast, checks, and single statements.</summary>
internal static class StatementTechniques
{
    private const int BlocksPerFile = 100;
    private const int RowsPerStatement = InsertBatch.DefaultRowsPerStatement;

    private static readonly string[] s_logColumns = ["OperationID", "Timestamp", "Type", "Message", "Exception"];

    public static IEnumerable<Technique> All =>
        [
            new("block list of a restore on demand", "built first, as for a restore that marks blocks", "block", ListOnDemand),
            new("pooled read connections", "a connection opened and closed a file", "file of 100 blocks", PoolReaders)
            {
                Entries = blocks => (blocks + BlocksPerFile - 1) / BlocksPerFile,
            },
            new("consistency mark", "a row was changed since", "block", CheckAgain),
            new("cache of statements", "prepared for each use, finalized after it", "statement", Prepare),
            new("insert batch: several rows a statement", "a statement a row", "row", Insert),
        ];

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

    // A restore's preparation that needs no list of blocks, against one that builds it because a marker is asked for.
    private static Trial ListOnDemand(TrialSetup setup, bool with)
    {
        var database = Open(setup);
        var sum = 0L;
        return new Trial(
            () =>
            {
                database.FindMissingBlocksAsync(false, default).Await();
                if (!with)
                {
                    database.CreateProgressTrackerAsync(false, default).Await();
                    database.CreateBlockMarkerAsync(default).Await().Dispose();
                }

                foreach (var (block, volume) in database.GetBlocksAndVolumeIDsAsync(false, default).ToBlockingEnumerable())
                    sum += block + volume;
            },
            () => sum,
            database
        );
    }

    // The blocks of each file by readers that stay open, or by one that is opened for it.
    private static Trial PoolReaders(TrialSetup setup, bool with)
    {
        var database = Open(setup);
        var files = database.GetFilesAndSymlinksToRestoreAsync(default).ToBlockingEnumerable().Select(file => file.BlocksetID).ToList();
        var sum = 0L;
        return new Trial(
            () =>
            {
                foreach (var blockset in files)
                {
                    foreach (var block in database.GetBlocksFromFileAsync(blockset, default).ToBlockingEnumerable())
                        sum = BlockTable.Fold(sum, block.BlockID);
                    if (!with)
                        database.DisposePoolAsync().Await();
                }
            },
            () => sum,
            database
        );
    }

    private static LocalRestoreDatabase Open(TrialSetup setup)
    {
        var database = LocalRestoreDatabase
            .CreateAsync(setup.Copy(RebuildTrial.Template(setup.Blocks, BlocksPerFile)), null, default)
            .Await();
        database.PrepareRestoreFilelistAsync(new DateTime(0, DateTimeKind.Utc), null, null, true, default).Await();
        database.SetTargetPathsAsync("/data/", "/target/", default).Await();
        return database;
    }
}
