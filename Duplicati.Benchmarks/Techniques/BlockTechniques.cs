// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Micro;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Blocksets;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>What makes a backup fast: blocks are known in memory, and rows are written in an order that suits the engine.</summary>
internal static class BlockTechniques
{
    private const int BlocksPerFile = 100;
    private const int BlocksPerBlockset = 1000;

    private const string Statement = "a prepared statement each";

    // Small tables take more than their entries need, and each of the first two tiers must be too small for the one before.
    private static readonly (string Tier, int FirstBytes, int BytesPerBlock)[] s_tiers =
    [
        ("keys", 1 << 20, 128),
        ("fingerprints", 96 << 10, 20),
        ("filter", 0, 4),
    ];

    public static IEnumerable<Technique> All =>
        [
            .. from tier in s_tiers
            from hit in (bool[])[true, false]
            select new Technique(
                $"map of blocks: {tier.Tier}, {(hit ? "found" : "not found")}",
                Statement,
                "look-up",
                (setup, with) => LookUp(setup, with, tier, hit)
            ),
            new("map of blocks: from opening on, found", Statement, "look-up", (setup, with) => LookUp(setup, with, null, true)),
            new("entries of blocksets: many a statement", "one row a statement", "entry", WriteEntries),
            new("deferred indexes: first backup", "the five indexes kept up to date", "block", BackUp) { Entries = WholeFiles },
            new("pace of checkpoints", "a pace of 4 MiB that somebody set", "entry", Link) { Entries = WholeFiles },
        ];

    private static int WholeFiles(int blocks) => blocks / BlocksPerFile * BlocksPerFile;

    // As many look-ups as the table has blocks. With a tier the map has been filled before, and has to be of that kind.
    private static Trial LookUp(TrialSetup setup, bool with, (string Tier, int FirstBytes, int BytesPerBlock)? tier, bool hit)
    {
        var questions = BackupTrials.Questions(hit ? 0 : setup.Blocks, setup.Blocks);
        var database = BackupTrials.Open(setup, setup.Blocks);
        if (!with)
            BlockOptions.Of(database.Session).MapBytes = 0;
        else if (tier is { } kind)
            BlockOptions.Of(database.Session).MapBytes = kind.FirstBytes + ((long)kind.BytesPerBlock * setup.Blocks);
        var map = BlockMap.Of(database.Session);
        if (tier is not null)
            map.Fill();
        if (with && tier is { } wanted && map.Tier != wanted.Tier)
            throw new InvalidOperationException($"The map is {map.Tier} instead of {wanted.Tier}.");
        var sum = 0L;
        return new Trial(
            () =>
            {
                for (var i = 0; i < questions.Count; i++)
                    sum = BlockTable.Fold(sum, database.FindBlockIDAsync(questions.Texts[i], questions.Sizes[i], default).Await());
            },
            () => sum,
            () => map.Bytes,
            database
        );
    }

    // Entries of blocksets of a thousand blocks each, in one transaction, all indexes in place.
    private static Trial WriteEntries(TrialSetup setup, bool with)
    {
        var database = BackupTrials.Open(setup, 0);
        var writer = BlocksetEntryWriter.Of(database.Session);
        return new Trial(
            () =>
            {
                for (var i = 0; i < setup.Blocks; i++)
                    WriteEntry(database, writer, i, with);
                writer.End();
                BackupTrials.Commit(database);
            },
            () => BackupTrials.Read(database, TechniquesSql.EntryIds),
            database
        );
    }

    private static void WriteEntry(LocalDatabase database, BlocksetEntryWriter writer, int i, bool with)
    {
        var (blockset, index) = (1 + (i / BlocksPerBlockset), i % BlocksPerBlockset);
        if (index == 0 && i > 0)
            writer.End();
        if (index == 0)
            writer.Begin(blockset);
        if (with)
        {
            writer.Add(i + 1);
            return;
        }

        using var insert = database.Session.Take(BlocksetEntryWriter.InsertEntry);
        insert.Bind(1, blockset).Bind(2, index).Bind(3, i + 1).ExecuteNonQuery();
    }

    // A first backup: new blocks in files of a hundred, a commit a file, and the indexes complete at the end. Without the technique,
    // somebody else asks for the database right after the indexes were dropped, which builds them for good.
    private static Trial BackUp(TrialSetup setup, bool with)
    {
        _ = BlockKeys.Get(setup.Blocks);
        var questions = new BlockQuestions(WholeFiles(setup.Blocks), step => step);
        _ = questions.Texts;
        var database = BackupTrials.Open(setup, 0);
        return new Trial(
            () =>
            {
                for (var first = 0; first < questions.Count; first += BlocksPerFile)
                {
                    for (var i = first; i < first + BlocksPerFile; i++)
                        database.AddBlockAsync(questions.Texts[i], BlockDatabase.Blocksize, first, default).Await();
                    if (!with && first == BlockIndexes.FewestBlocks / BlocksPerFile * BlocksPerFile)
                        database.Session.AnnounceExternalUse();
                    AddBlockset(database, questions, first);
                }

                BlockIndexes.Of(database.Session).Complete();
                BackupTrials.Commit(database);
            },
            () => BackupTrials.Content(database),
            database
        );
    }

    // New blocksets of a hundred known blocks, a commit each, into a backup of as many blocks, all indexes in place.
    private static Trial Link(TrialSetup setup, bool with)
    {
        var connection = SQLiteLoader.LoadConnection(setup.Copy(BlockDatabase.Template(setup.Blocks)));
        var questions = new BlockQuestions(WholeFiles(setup.Blocks), new FullBlocks(setup.Blocks).Index);
        _ = questions.Texts;
        if (!with)
        {
            using var command = connection.CreateCommand();
            command.CommandText = TechniquesSql.OwnPace;
            command.ExecuteNonQuery();
        }

        var parent = LocalDatabase.CreateLocalDatabaseAsync(connection, "Backup", null, default).Await();
        var database = LocalBackupDatabase.CreateAsync(parent, new Options([]), null, default).Await();
        BlockMap.Of(database.Session).Fill();
        BackupTrials.Commit(database);
        return new Trial(
            () =>
            {
                for (var first = 0; first < questions.Count; first += BlocksPerFile)
                    AddBlockset(database, questions, first);
            },
            () => BackupTrials.Content(database),
            database,
            parent,
            connection
        );
    }

    private static void AddBlockset(LocalBackupDatabase database, BlockQuestions questions, int first)
    {
        var blocks = new ArraySegment<string>(questions.Texts, first, BlocksPerFile);
        const long Length = (long)BlocksPerFile * BlockDatabase.Blocksize;
        database.AddBlocksetAsync(BlockTable.FileHash(first), Length, BlockDatabase.Blocksize, blocks, [], default).Await();
    }
}
