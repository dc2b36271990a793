// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using BenchmarkDotNet.Attributes;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Benchmarks.Micro.Pragmas;

/// <summary>What each pragma does to one kind of work, against SQLite's own settings.</summary>
[BenchmarkGroup("pragmas")]
[BaselineVariant(nameof(Variant), PragmaVariants.Baseline)]
public abstract class PragmaBenchmark : DatabaseBenchmark
{
    /// <summary>The pragma that is changed, or the preset.</summary>
    [ParamsSource(nameof(Variants))]
    public string Variant { get; set; } = PragmaVariants.Baseline;

    public static IEnumerable<string> Variants => PragmaVariants.All;

    private protected override ConnectionOptions Options => PragmaVariants.Options(Variant);

    private protected string FilledTemplate(int rows)
    {
        var (options, key) = PragmaVariants.TemplateOptions(Variant);
        return BlockTable.Template(rows, options, key);
    }
}

/// <summary>Look-ups of blocks in random order, every second one of a block that is not there.</summary>
public class FindBlocks : PragmaBenchmark
{
    private static int TableRows => BenchmarkScale.Of(1_000_000, 50_000);

    protected override int Rows => BenchmarkScale.Of(300_000, 20_000);

    protected override long ExpectedAnswer => BlockTable.SumOfIds(TableRows, 2 * TableRows, Rows);

    protected override string? Template => FilledTemplate(TableRows);

    protected override void Work() => Answer = BlockTable.Find(Statements, BlockKeys.Get(2 * TableRows), 2 * TableRows, Rows);
}

/// <summary>Blocks in random order into an empty table with all its indexes, a commit after every 1,000.</summary>
public class InsertBlocks : PragmaBenchmark
{
    private const int RowsPerCommit = 1000;

    protected override int Rows => BenchmarkScale.Of(300_000, 10_000);

    protected override long ExpectedAnswer => BlockTable.SumOfRows(0, Rows, BlockTable.Volume);

    protected override void Work() => BlockTable.Insert(Statements, BlockKeys.Get(Rows), 0, Rows, RowsPerCommit);

    protected override void ReadAnswer() => Answer = BlockTable.SumRows(Statements);

    protected override void Prepare() => Statements.Execute(BlockTableSql.Create);
}

/// <summary>Sorts the whole table, as rebuilding an index does; helper threads and temporary storage matter here.</summary>
public class SortBlocks : PragmaBenchmark
{
    protected override int Rows => BenchmarkScale.Of(1_000_000, 50_000);

    protected override long ExpectedAnswer => Rows;

    protected override string? Template => FilledTemplate(Rows);

    protected override void Work()
    {
        Statements.Execute(BlockTableSql.Begin);
        Statements.Execute(BlockTableSql.Sort);
        using (var count = Statements.Take(BlockTableSql.CountSorted))
            Answer = count.ExecuteInt64();
        Statements.Execute(BlockTableSql.Commit);
    }
}

/// <summary>SQLite's own settings with one pragma changed, and the presets, which are the chosen combinations.</summary>
internal static class PragmaVariants
{
    /// <summary>The variant that all others are compared with.</summary>
    public const string Baseline = "stock";

    private static readonly string[] Single =
    [
        .. Mebibytes(2, 8, 32, 64, 128, 256, 512).Select(bytes => $"cache_size=-{bytes / 1024}"),
        "journal_mode=MEMORY",
        "journal_mode=OFF",
        "journal_mode=PERSIST",
        "journal_mode=TRUNCATE",
        "journal_mode=WAL",
        .. Mebibytes(2, 8, 32, 64, 128, 256, 512).Select(bytes => $"mmap_size={bytes}"),
        "page_size=4096",
        "page_size=8192",
        "page_size=16384",
        "page_size=32768",
        "page_size=65536",
        "synchronous=EXTRA",
        "synchronous=NORMAL",
        "synchronous=OFF",
        "temp_store=FILE",
        "temp_store=MEMORY",
        "threads=0",
        "threads=1",
        "threads=2",
        "threads=4",
        "threads=8",
        "threads=16",
        "threads=32",
    ];

    /// <summary>All variants, the baseline first and the presets last.</summary>
    public static IEnumerable<string> All =>
        [
            Baseline,
            .. Single,
            .. ConnectionPreset.All.Select(preset => preset.Name).Where(name => name != Baseline).Order(StringComparer.Ordinal),
        ];

    /// <summary>The options of a variant. Values are not checked: threads beyond the engine's limit are part of the question.</summary>
    public static ConnectionOptions Options(string variant)
    {
        var split = variant.IndexOf('=', StringComparison.Ordinal);
        if (split < 0)
            return DatabaseBenchmark.Of(variant);

        var pragma = new Pragma(variant[..split], variant[(split + 1)..], "measured alone");
        return new ConnectionOptions(variant, [.. ConnectionPreset.Stock.Pragmas, pragma], refreshesStatistics: false);
    }

    /// <summary>The options for a template that a variant can be opened on: only the page size is a property of the file.</summary>
    public static (ConnectionOptions Options, string Key) TemplateOptions(string variant)
    {
        var pageSize = Options(variant)[PragmaCatalogue.PageSize] ?? "4096";
        return (DatabaseBenchmark.Of("rebuild", (PragmaCatalogue.PageSize, pageSize)), pageSize);
    }

    private static IEnumerable<long> Mebibytes(params long[] sizes) => sizes.Select(size => size << 20);
}
