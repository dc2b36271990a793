namespace Duplicati.Engine.Remote;

/// <summary>Which texts are names of files directly in a remote folder.</summary>
internal static class RemoteName
{
    /// <summary>Whether a text is a plain name on every system: no separators, no colon, no NUL, neither <c>.</c> nor <c>..</c>, at most 255 characters.</summary>
    // Both separators and the colon on every system, since a backup may move from one to the other.
    internal static bool IsPlain(string name) => name.Length is > 0 and <= 255
        && name is not "." and not ".."
        && name.AsSpan().IndexOfAny("/\\:\0") < 0
        && name.IndexOfAny(Path.GetInvalidFileNameChars()) < 0;
}
