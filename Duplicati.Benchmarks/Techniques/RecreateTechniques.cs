// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Replay;
using Duplicati.Benchmarks.Scale;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Recreate;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>What makes a recreate fast, on a backup of one version, as whole steps of it.</summary>
internal static class RecreateTechniques
{
    private const int BlocksPerFile = 1024;
    private const int Parts = 20;
    private const int Versions = 10;

    private static readonly RecreateLimits s_ample = RecreateLimits.ForThisMachine();

    public static IEnumerable<Technique> All =>
        [
            new("map of blocks: recreate", "looked up by the index, which is built at once", "block", KnowBlocks),
            new(
                "deferred indexes: recreate",
                "a row was in one of the tables: indexes kept up to date, new blocksets and files looked up",
                "block",
                DeferIndexes
            ),
            new("ordered expansion of blocklists", "INSERT ... SELECT over tables of texts", "block", Expand),
            new("incremental resolve", "each of the 20 resolves walks over everything", "block", ResolveInParts),
            new("caches of filelists", "each blockset, metadata and file looked up", "file", RepeatFilelists)
            {
                Entries = blocks => blocks / Versions * Versions,
            },
        ];

    private static RebuildData Data(TrialSetup setup) => RebuildData.Get(setup.Blocks, BlocksPerFile);

    // A whole recreate that knows the blocks in memory, against one that looks them up.
    private static Trial KnowBlocks(TrialSetup setup, bool with)
    {
        var rebuild = new RebuildTrial(setup.DatabasePath, Data(setup), with ? s_ample : s_ample with { BlockBytes = 0 });
        var bytes = 0L;
        return new Trial(
            () =>
            {
                rebuild.LoadFilelist();
                rebuild.Load();
                rebuild.Resolve();
                // The last step forgets it.
                bytes = rebuild.Work.Blocks.MapBytes;
                rebuild.Finish();
            },
            rebuild.Content,
            () => bytes,
            rebuild
        );
    }

    // A whole recreate on empty tables, against one that finds a row.
    private static Trial DeferIndexes(TrialSetup setup, bool with)
    {
        var rebuild = new RebuildTrial(setup.DatabasePath, Data(setup), s_ample, isEmpty: with);
        return new Trial(rebuild.Run, rebuild.Content, rebuild);
    }

    // The step that connects blocksets and blocks, against set-based statements on staged texts that have no quadratic term either.
    private static Trial Expand(TrialSetup setup, bool with)
    {
        var data = Data(setup);
        if (with)
        {
            var rebuild = new RebuildTrial(setup.DatabasePath, data, s_ample);
            rebuild.LoadFilelist();
            rebuild.Load();
            return new Trial(rebuild.Resolve, rebuild.Content, rebuild);
        }

        var plain = new PlainRecreateCalls(setup.DatabasePath, RecordedBackup.Empty, SQLiteLoader.LoadConnection(setup.DatabasePath));
        var told = new SyntheticRebuild(plain);
        told.RegisterVolumes(data.Indexes.Count);
        foreach (var file in data.Files)
            told.AddFile(file);
        for (var i = 0; i < data.Indexes.Count; i++)
            told.AddIndex(data.Indexes[i], i + 1);
        told.Calls.Commit();
        return new Trial(plain.ExpandLists, () => BlockContent.Of(setup.DatabasePath), plain);
    }

    // A resolve after every twentieth of the volumes, as when index files are missing; without the technique by the member that begins
    // anew each time.
    private static Trial ResolveInParts(TrialSetup setup, bool with)
    {
        var data = Data(setup);
        var rebuild = new RebuildTrial(setup.DatabasePath, data, s_ample);
        rebuild.LoadFilelist();
        return new Trial(
            () =>
            {
                for (var part = 0; part < Parts; part++)
                {
                    rebuild.Load(data.Indexes.Count * part / Parts, data.Indexes.Count * (part + 1) / Parts);
                    if (with)
                        rebuild.Resolve();
                    else
                        rebuild.ResolveAnew();
                }

                rebuild.Resolve();
            },
            rebuild.Content,
            rebuild
        );
    }

    // Ten versions with the same files, of one block each.
    private static Trial RepeatFilelists(TrialSetup setup, bool with)
    {
        var data = RebuildData.Get(setup.Blocks / Versions, 1);
        var rebuild = new RebuildTrial(setup.DatabasePath, data, with ? s_ample : s_ample with { FileBytes = 0 });
        return new Trial(
            () =>
            {
                for (var version = 0; version < Versions; version++)
                {
                    rebuild.LoadFilelist(version);
                    rebuild.Commit();
                }
            },
            () => BackupTrials.Read(rebuild.Database, TechniquesSql.FilesetEntries),
            () => rebuild.Work.Filelist.CacheBytes,
            rebuild
        );
    }
}
