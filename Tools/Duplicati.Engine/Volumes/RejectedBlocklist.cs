namespace Duplicati.Engine.Volumes;

/// <summary>A blocklist entry of an index volume that was not used.</summary>
/// <param name="EntryName">The name of the entry.</param>
/// <param name="Reason">Why.</param>
public sealed record RejectedBlocklist(string EntryName, string Reason);
