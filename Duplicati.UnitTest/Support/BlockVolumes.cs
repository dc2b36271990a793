namespace Duplicati.UnitTest.Support;

/// <summary>The block volumes in a remote folder, for tests that damage some of them.</summary>
internal static class BlockVolumes
{
    /// <summary>Full paths, the largest first: names are random, and a small one may hold nothing but metadata, which fails no file when it is lost.</summary>
    internal static string[] In(string remote) =>
        [.. new DirectoryInfo(remote).GetFiles("*.dblock.*").OrderByDescending(x => x.Length).ThenBy(x => x.Name, StringComparer.Ordinal).Select(x => x.FullName)];
}
