#nullable enable

namespace Duplicati.Library.Main.Database.Changes;

/// <summary>Counts and sizes of a comparison, found together, because the reports about it ask for the same rows.</summary>
/// <param name="Added">What is in the newer list only.</param>
/// <param name="Deleted">What is in the older list only.</param>
/// <param name="Modified">What is in both and differs.</param>
/// <param name="Transaction">The session's count of transactions when it was found: with another one the lists may have vanished.</param>
internal sealed record ChangesSummary(ChangesTally Added, ChangesTally Deleted, ChangesTally Modified, long Transaction);
