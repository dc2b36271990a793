// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Benchmarks.Commands;

namespace Duplicati.Benchmarks;

/// <summary>The command tree of the benchmarks.</summary>
internal static class BenchmarkRoot
{
    /// <summary>The root with all commands that people type.</summary>
    public static RootCommand Create() =>
        new("Measures Duplicati's SQLite data layer.")
        {
            MicroCommand.Create(),
            EndToEndCommand.Create(),
            StressCommand.Create(),
            SuiteCommand.Create(),
            ReportCommand.Create(),
            CompareCommand.Create(),
            TechniquesCommand.Create(),
            ScaleCommand.Create(),
        };
}
