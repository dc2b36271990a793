namespace Duplicati.Engine.Recreate;

/// <summary>What an interrupted recreate has left does not fit, so that it has to begin anew. The message says why, as the end of a sentence.</summary>
internal sealed class CannotContinueException(string message) : Exception(message);
