namespace Duplicati.Benchmarks.Large;

/// <summary>What a process takes of the disk in a folder at a moment. Files that have no name any more, as SQLite's temporary ones, count where the system shows them (Linux).</summary>
/// <param name="folder">The folder, without those in it.</param>
/// <param name="process">Id of the process.</param>
internal sealed class DiskUse(string folder, int process)
{
    private const string Unlinked = " (deleted)";

    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(100);

    // The folder may be named here through links, there it is not.
    private readonly string m_place = $"/{Path.GetFileName(folder)}/";

    /// <summary>The most so far, in bytes.</summary>
    internal long Most { get; private set; }

    /// <summary>Looks ten times a second until it is cancelled, which is no error.</summary>
    internal async Task WatchAsync(CancellationToken token)
    {
        using var timer = new PeriodicTimer(s_interval);
        try
        {
            do
                Look();
            while (await timer.WaitForNextTickAsync(token).ConfigureAwait(false));
        }
        catch (OperationCanceledException)
        {
            // The process has ended.
        }
    }

    /// <summary>Looks once.</summary>
    internal void Look() => Most = Math.Max(Most, Directory.EnumerateFiles(folder).Sum(LengthOf) + UnlinkedBytes());

    private long UnlinkedBytes()
    {
        var descriptors = FormattableString.Invariant($"/proc/{process}/fd");
        try
        {
            return Directory.Exists(descriptors) ? Directory.EnumerateFiles(descriptors).Where(IsUnlinked).Sum(LengthOpened) : 0;
        }
        catch (Exception ex) when (IsGone(ex))
        {
            return 0;
        }
    }

    private bool IsUnlinked(string descriptor)
    {
        try
        {
            return new FileInfo(descriptor).LinkTarget is { } target && target.Contains(m_place, StringComparison.Ordinal) && target.EndsWith(Unlinked, StringComparison.Ordinal);
        }
        catch (Exception ex) when (IsGone(ex))
        {
            return false;
        }
    }

    private static long LengthOf(string path)
    {
        try
        {
            return new FileInfo(path).Length;
        }
        catch (Exception ex) when (IsGone(ex))
        {
            return 0;
        }
    }

    // The name in the list is only a link to a name that is no more; what is open can be opened again through it.
    private static long LengthOpened(string descriptor)
    {
        try
        {
            using var file = new FileStream(descriptor, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
            return file.Length;
        }
        catch (Exception ex) when (IsGone(ex))
        {
            return 0;
        }
    }

    private static bool IsGone(Exception ex) => ex is IOException or UnauthorizedAccessException;
}
