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

    protected override ConnectionOptions Options => PragmaVariants.Options(Variant);

    private protected string FilledTemplate(int rows)
    {
        var (options, key) = PragmaVariants.TemplateOptions(Variant);
        return BlockTable.Template(rows, options, key);
    }
}
