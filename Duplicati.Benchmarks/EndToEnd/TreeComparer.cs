namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>Compares two folders byte for byte.</summary>
internal static class TreeComparer
{
    /// <exception cref="InvalidOperationException">They differ; the message names the first difference.</exception>
    internal static void RequireEqual(string expected, string actual)
    {
        var left = Files(expected);
        var right = Files(actual);
        if (!left.SequenceEqual(right, StringComparer.Ordinal))
            throw new InvalidOperationException($"The restored tree has other files: {left.Except(right).Concat(right.Except(left)).First()}.");
        foreach (var file in left)
        {
            if (!AreEqual(Path.Combine(expected, file), Path.Combine(actual, file)))
                throw new InvalidOperationException($"The restored file {file} differs.");
        }
    }

    private static List<string> Files(string folder) =>
        [.. Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories).Select(x => Path.GetRelativePath(folder, x)).Order(StringComparer.Ordinal)];

    private static bool AreEqual(string a, string b)
    {
        using var left = File.OpenRead(a);
        using var right = File.OpenRead(b);
        if (left.Length != right.Length)
            return false;

        var first = new byte[128 * 1024];
        var second = new byte[first.Length];
        for (var read = left.ReadAtLeast(first, first.Length, false); read > 0; read = left.ReadAtLeast(first, first.Length, false))
        {
            right.ReadExactly(second, 0, read);
            if (!first.AsSpan(0, read).SequenceEqual(second.AsSpan(0, read)))
                return false;
        }

        return true;
    }
}
