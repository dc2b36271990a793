using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Data;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main.Operation.Restore;

namespace Duplicati.Engine.Restore;

/// <summary>Makes the files of a restore at their full length and verifies them when the blocks are in.</summary>
internal sealed class FileWriter(RestorePlan plan, VolumeFormat format, IEngineProgress progress, DateTime versionTime, ExistingFileChoice existing)
{
    private readonly Dictionary<long, string> m_replaced = [];

    /// <summary>Bytes of the files that are complete.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Makes all files. One that has the right content already needs nothing more; of others in the way, see <see cref="ExistingFileChoice"/>.</summary>
    internal async Task MakeFilesAsync(CancellationToken token)
    {
        if (existing == ExistingFileChoice.Skip)
            plan.SkipSymlinks(IsTaken);
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
            if (existing == ExistingFileChoice.Skip)
            {
                plan.Skip(id);
                return;
            }

            if (await IsCompleteAsync(path, file.Hash, file.Length, token).ConfigureAwait(false))
                return;

            path = FreeName(path);
            // What is there goes when the other is complete, not before.
            if (existing == ExistingFileChoice.Overwrite && !IsFolder(plan.Paths[id]))
                m_replaced.Add(id, plan.Paths[id]);
            else
                progress.Warning($"{plan.Paths[id]} exists with other content; restoring to {path}");
            plan.Paths[id] = path;
        }

        using var handle = File.OpenHandle(path, FileMode.CreateNew, FileAccess.Write);
        DiskSpace.SetLength(handle, file.Length);
    }

    /// <summary>Verifies every file against its hash, and puts those that are complete in the place of what they replace.</summary>
    /// <returns>The target paths of those that differ, or could not be put in their place.</returns>
    internal async Task<IReadOnlyList<string>> FinishAsync(int parallelism, CancellationToken token)
    {
        var failed = await CompareAsync(plan.Files.Select(x => (plan.Paths[x.Key], x.Value)), parallelism, token).ConfigureAwait(false);
        foreach (var path in failed)
            progress.Warning($"Failed to restore {path}: its content has not the recorded hash");
        Bytes = plan.Files.Where(x => !failed.Contains(plan.Paths[x.Key])).Sum(x => x.Value.Length);
        foreach (var (id, path) in m_replaced)
        {
            if (plan.Paths.TryGetValue(id, out var made) && (failed.Contains(made) || !Replace(id, made, path)))
                progress.Warning($"{path} is left as it was; what could be restored is in {made}");
        }

        return [.. failed.Order(StringComparer.Ordinal)];

        bool Replace(long id, string made, string path)
        {
            try
            {
                // What a link leads to is not touched.
                if (new FileInfo(path) is { LinkTarget: not null } link)
                    link.Delete();
                File.Move(made, path, overwrite: true);
                plan.Paths[id] = path;
                return true;
            }
            catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
            {
                progress.Warning($"Failed to replace {path}: {ex.Message}");
                failed.Add(made);
                return false;
            }
        }
    }

    /// <summary>Compares every file of the plan under its final name with its hash, those that were skipped as well.</summary>
    /// <returns>The target paths of those that differ.</returns>
    internal async Task<IReadOnlyList<string>> VerifyAsync(int parallelism, CancellationToken token)
    {
        var different = await CompareAsync(plan.Files.Select(x => (plan.Paths[x.Key], x.Value)).Concat(plan.Skipped), parallelism, token).ConfigureAwait(false);
        return [.. different.Order(StringComparer.Ordinal)];
    }

    private async Task<HashSet<string>> CompareAsync(IEnumerable<(string Path, FileRequest File)> files, int parallelism, CancellationToken token)
    {
        var different = new HashSet<string>(StringComparer.Ordinal);
        await Parallel.ForEachAsync(
            files,
            new ParallelOptions { MaxDegreeOfParallelism = Math.Max(1, parallelism), CancellationToken = token },
            async (item, stop) =>
            {
                if (await IsCompleteAsync(item.Path, item.File.Hash, item.File.Length, stop).ConfigureAwait(false))
                    return;
                lock (different)
                    different.Add(item.Path);
            }).ConfigureAwait(false);
        return different;
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

    private static bool IsFolder(string path) => Directory.Exists(path) && new DirectoryInfo(path).LinkTarget is null;
}
