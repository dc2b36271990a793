// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;

namespace Duplicati.UnitTest.Golden;

/// <summary>A new folder for each test, which a golden set is copied to.</summary>
internal abstract class GoldenTestBase : FolderTestBase
{
    /// <summary>Copies the remote folder and the database of a set.</summary>
    /// <returns>What the engine works on both with.</returns>
    private protected EngineOptions Options(string set)
    {
        GoldenData.CopyRemote(set, Folder.File("remote"));
        return new EngineOptions
        {
            Remote = Folder.File("remote"),
            DatabasePath = GoldenData.UnpackDatabase(set, Folder.Path),
            Passphrase = set.StartsWith("b-", StringComparison.Ordinal) ? GoldenData.Passphrase : null,
        };
    }

    /// <summary>What the database has otherwise than a dump of the real program.</summary>
    private protected static IReadOnlyList<DumpDifference> Differences(
        string set,
        string dump,
        EngineOptions options,
        DumpComparisonOptions? comparison = null
    ) => DatabaseComparison.Compare(GoldenData.Dump(set, dump), DatabaseDump.Load(options.DatabasePath), comparison ?? new());
}
