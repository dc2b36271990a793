namespace Duplicati.Benchmarks.Profile;

/// <summary>Why nothing can be sampled, as one is told it, with what to do; no trace is needed.</summary>
internal sealed class ProfileException(string message) : Exception(message);
