using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Data;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main.Operation.Restore;

namespace Duplicati.Engine.Restore;

/// <summary>Makes the files of a restore at their full length and verifies them when the blocks are in.</summary>
internal sealed class FileWriter(RestorePlan plan, VolumeFormat format, IEngineProgress progress, DateTime versionTime)
{
    /// <summary>Bytes of the files that are complete.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Makes all files. One that has the right content already needs nothing more; another in the way keeps its name.</summary>
    internal async Task MakeFilesAsync(CancellationToken token)
    {
        foreach (var (id, file) in plan.Files)
        {
            token.ThrowIfCancellationRequested();
            try
            {
                await MakeFileAsync(id, file, token).ConfigureAwait(false);
            }
            catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
            {
                plan.LeaveOut(id, progress, ex.Message);
            }
        }
    }

    private async Task MakeFileAsync(long id, FileRequest file, CancellationToken token)
    {
        var path = plan.Paths[id];
        RestoreTarget.MakeFolder(Path.GetDirectoryName(path)!);
        if (IsTaken(path))
        {
            if (await IsCompleteAsync(path, file.Hash, file.Length, token).ConfigureAwait(false))
                return;

            path = FreeName(path);
            progress.Warning($"{plan.Paths[id]} exists with other content; restoring to {path}");
            plan.Paths[id] = path;
        }

        using var handle = File.OpenHandle(path, FileMode.CreateNew, FileAccess.Write);
        RandomAccess.SetLength(handle, file.Length);
    }

    /// <summary>Verifies every file against its hash.</summary>
    /// <returns>The target paths of those that differ.</returns>
    internal async Task<IReadOnlyList<string>> VerifyAsync(int parallelism, CancellationToken token)
    {
        var failed = new List<string>();
        await Parallel.ForEachAsync(
            plan.Files,
            new ParallelOptions { MaxDegreeOfParallelism = Math.Max(1, parallelism), CancellationToken = token },
            async (item, stop) =>
            {
                var path = plan.Paths[item.Key];
                var isComplete = await IsCompleteAsync(path, item.Value.Hash, item.Value.Length, stop).ConfigureAwait(false);
                lock (failed)
                {
                    if (isComplete)
                        Bytes += item.Value.Length;
                    else
                        failed.Add(path);
                }
            }).ConfigureAwait(false);

        failed.Sort(StringComparer.Ordinal);
        foreach (var path in failed)
            progress.Warning($"Failed to restore {path}: its content has not the recorded hash");
        return failed;
    }

    private async Task<bool> IsCompleteAsync(string path, string hash, long length, CancellationToken token)
    {
        var info = new FileInfo(path);
        if (!info.Exists || info.LinkTarget is not null || info.Length != length || UnixFile.IsSpecial(path))
            return false;

        var content = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, 0, FileOptions.SequentialScan);
        await using (content.ConfigureAwait(false))
            return (await format.FileHash.HashAsync(content, token).ConfigureAwait(false)).Hash == hash;
    }

    private string FreeName(string path)
    {
        var stamp = versionTime.ToLocalTime().ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);
        var stem = Path.Combine(Path.GetDirectoryName(path)!, Path.GetFileNameWithoutExtension(path) + "." + stamp);
        var extension = Path.GetExtension(path);
        for (var i = 0; ; i++)
        {
            var candidate = i == 0 ? stem + extension : $"{stem} ({i}){extension}";
            if (!IsTaken(candidate))
                return candidate;
        }
    }

    // A link that leads nowhere does not exist for those who follow it, but takes the name.
    private static bool IsTaken(string path) => Path.Exists(path) || new FileInfo(path).LinkTarget is not null;
}
