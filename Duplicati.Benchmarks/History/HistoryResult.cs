using Duplicati.Benchmarks.Micro.Operations;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.History;

/// <summary>What one run of an operation took, in seconds.</summary>
/// <param name="Processor">Processor time of the whole process.</param>
/// <param name="Clock">Time on the clock.</param>
internal readonly record struct HistoryCost(double Processor, double Clock);

/// <summary>An operation with one number of versions: what it took in each way.</summary>
/// <param name="operation">The operation.</param>
/// <param name="versions">Versions of the backup.</param>
/// <param name="rows">The operation's rows.</param>
internal sealed class HistoryResult(HistoryOperation operation, int versions, long rows)
{
    private readonly Dictionary<string, List<HistoryCost>> m_costs = new() { [OperationWays.Plain] = [], [OperationWays.Door] = [] };
    private long? m_answer;

    public HistoryOperation Operation => operation;

    public int Versions => versions;

    public long Rows => rows;

    /// <summary>The rounds of a way.</summary>
    public IReadOnlyList<HistoryCost> Costs(string way) => m_costs[way];

    /// <summary>Notes a round.</summary>
    /// <exception cref="InvalidOperationException">It found out or left something else than the others: a fast wrong answer must not pass as a fast one.</exception>
    public void Add(string way, HistoryCost cost, long answer)
    {
        m_answer ??= answer;
        if (answer != m_answer)
            throw new InvalidOperationException($"{operation.Name}, {versions} versions, {way}: the answer is {answer}; it should be {m_answer}.");
        m_costs[way].Add(cost);
    }

    /// <summary>Median processor time of a row in microseconds.</summary>
    public double RowCost(string way) => Numbers.Median(m_costs[way].Select(cost => cost.Processor)) * 1e6 / rows;
}
