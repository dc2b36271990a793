
namespace Duplicati.Engine.Reports;

/// <summary>What a verification found.</summary>
/// <param name="Volumes">Volumes checked.</param>
/// <param name="Problems">Every problem, one text each; empty when all is well.</param>
public sealed record VerifyReport(int Volumes, IReadOnlyList<string> Problems);
