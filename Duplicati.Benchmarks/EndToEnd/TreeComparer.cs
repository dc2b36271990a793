namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>Compares two folders byte for byte.</summary>
internal static class TreeComparer
{
    /// <summary>The first difference, as a sentence; null if there is none.</summary>
    internal static string? Difference(string expected, string actual)
    {
        if (!Directory.Exists(actual))
            return "Nothing was restored.";

        var left = Files(expected);
        var right = Files(actual);
        if (!left.SequenceEqual(right, StringComparer.Ordinal))
            return $"The restored tree has other files: {left.Except(right).Concat(right.Except(left)).First()}.";
        return left.Find(file => !AreEqual(Path.Combine(expected, file), Path.Combine(actual, file))) is { } different ? $"The restored file {different} differs." : null;
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
