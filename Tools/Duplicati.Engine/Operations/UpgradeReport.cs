namespace Duplicati.Engine.Operations;

/// <summary>What an upgrade did.</summary>
/// <param name="From">Schema version before.</param>
/// <param name="To">Schema version after.</param>
public sealed record UpgradeReport(long From, long To);
