
namespace Duplicati.Engine.Reports;

/// <summary>What a test found.</summary>
/// <param name="Volumes">Names of the volumes tested, in order.</param>
/// <param name="Differences">Every difference; empty when all is well.</param>
/// <param name="ReplacedIndexVolumes">Names of the faulty index volumes that were made anew under other names, or would be in a dry run.</param>
public sealed record TestReport(IReadOnlyList<string> Volumes, IReadOnlyList<VolumeDifference> Differences, IReadOnlyList<string> ReplacedIndexVolumes);
