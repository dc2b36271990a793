using BenchmarkDotNet.Analysers;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Validators;

namespace Duplicati.Benchmarks.Micro;

/// <summary>Adds columns for the rows of one operation, bytes written by one operation, and the size of the database.</summary>
internal sealed class DatabaseDiagnoser : IDiagnoser
{
    /// <summary>The name under which the number of rows stands in the raw results.</summary>
    public const string RowsMetric = "Rows";

    /// <summary>The name under which the bytes written stand in the raw results.</summary>
    public const string WrittenMetric = "Written";

    /// <summary>The name under which the size of the database stands in the raw results.</summary>
    public const string FileMetric = "File";

    private static readonly MetricDescriptor Rows = new(RowsMetric, "Rows that one operation handles", UnitType.Dimensionless, "N0", higherIsBetter: true);
    private static readonly MetricDescriptor Written = new(WrittenMetric, "Bytes one operation wrote to files, with the checkpoint at close", UnitType.Size, "N0", higherIsBetter: false);
    private static readonly MetricDescriptor FileSize = new(FileMetric, "Size of the database at the end", UnitType.Size, "N0", higherIsBetter: false);

    public IEnumerable<string> Ids => [nameof(DatabaseDiagnoser)];

    public IEnumerable<IExporter> Exporters => [];

    public IEnumerable<IAnalyser> Analysers => [];

    public RunMode GetRunMode(BenchmarkCase benchmarkCase) => RunMode.NoOverhead;

    public void Handle(HostSignal signal, DiagnoserActionParameters parameters)
    {
        if (signal == HostSignal.BeforeAnythingElse)
            BenchmarkRecord.Take();
    }

    public IEnumerable<Metric> ProcessResults(DiagnoserResults results)
    {
        var record = BenchmarkRecord.Take();
        yield return new Metric(Rows, record.Rows);
        if (record.WrittenBytes is { } written)
            yield return new Metric(Written, written);
        if (record.FileBytes > 0)
            yield return new Metric(FileSize, record.FileBytes);
    }

    public void DisplayResults(ILogger logger)
    {
    }

    public IEnumerable<ValidationError> Validate(ValidationParameters validationParameters) => [];

    private sealed class MetricDescriptor(string name, string legend, UnitType unit, string format, bool higherIsBetter) : IMetricDescriptor
    {
        public string Id => name;

        public string DisplayName => name;

        public string Legend => legend;

        public string NumberFormat => format;

        public UnitType UnitType => unit;

        public string Unit => unit == UnitType.Size ? "B" : "";

        public bool TheGreaterTheBetter => higherIsBetter;

        public int PriorityInCategory => 0;

        public bool GetIsAvailable(Metric metric) => true;
    }
}
