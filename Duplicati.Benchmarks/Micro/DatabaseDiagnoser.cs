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

/// <summary>Adds columns for the rows of one operation, bytes written by one operation, the size of the database, and a checksum of the answer.</summary>
internal sealed class DatabaseDiagnoser : IDiagnoser
{
    /// <summary>The name under which the number of rows stands in the raw results.</summary>
    public const string RowsMetric = "Rows";

    /// <summary>The name under which the bytes written stand in the raw results.</summary>
    public const string WrittenMetric = "Written";

    /// <summary>The name under which the size of the database stands in the raw results.</summary>
    public const string FileMetric = "File";

    /// <summary>The name under which the checksum of the answer stands in the raw results.</summary>
    public const string AnswerMetric = "Answer";

    private static readonly MetricDescriptor Rows = new(RowsMetric, "Rows that one operation handles", UnitType.Dimensionless, "N0", higherIsBetter: true);
    private static readonly MetricDescriptor Written = new(WrittenMetric, "Bytes one operation wrote to files, with the checkpoint at close", UnitType.Size, "N0", higherIsBetter: false);
    private static readonly MetricDescriptor FileSize = new(FileMetric, "Size of the database at the end", UnitType.Size, "N0", higherIsBetter: false);

    private static readonly MetricDescriptor Answer = new(AnswerMetric, "Checksum of the answer, which is the same for all contenders", UnitType.Dimensionless, "0", higherIsBetter: false);

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
        if (record.Answer is { } answer)
            yield return new Metric(Answer, Fold(answer));
    }

    public void DisplayResults(ILogger logger)
    {
    }

    public IEnumerable<ValidationError> Validate(ValidationParameters validationParameters) => [];

    // A metric is a double, which holds 32 bits exactly.
    private static uint Fold(long answer) => (uint)(answer ^ (answer >>> 32));

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
