namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>A copy of a source tree, and a repeatable change to it.</summary>
internal static class ChangedTree
{
    /// <summary>Copies files and folders; links are left out.</summary>
    internal static async Task CopyAsync(string source, string target, CancellationToken token)
    {
        foreach (var file in Directory.EnumerateFiles(source, "*", SearchOption.AllDirectories))
        {
            if (new FileInfo(file).LinkTarget is not null)
                continue;

            var copy = Path.Combine(target, Path.GetRelativePath(source, file));
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            var from = File.OpenRead(file);
            await using var fromScope = from.ConfigureAwait(false);
            var to = new FileStream(copy, FileMode.CreateNew);
            await using var toScope = to.ConfigureAwait(false);
            await from.CopyToAsync(to, token).ConfigureAwait(false);
        }
    }

    /// <summary>Rewrites the middle of every tenth file, by the seed.</summary>
    internal static void ChangeTenth(string folder, long seed)
    {
        var random = new Random((int)seed);
        var content = new byte[64 * 1024];
        var index = 0;
        foreach (var path in Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal))
        {
            if (index++ % 10 != 0)
                continue;

            random.NextBytes(content);
            using var file = new FileStream(path, FileMode.Open, FileAccess.ReadWrite);
            var length = (int)Math.Min(content.Length, file.Length);
            file.Position = (file.Length - length) / 2;
            file.Write(content, 0, length);
        }
    }
}
