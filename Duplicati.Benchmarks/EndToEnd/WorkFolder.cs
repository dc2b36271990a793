using Duplicati.Engine.Common;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>
/// The folder that a run works in, and its hold on the output folder, which no other run may use meanwhile. Disposing removes the work
/// folder unless it is to be kept.
/// </summary>
internal sealed class WorkFolder : IDisposable
{
    private const string LockName = ".e2e.lock";
    private const long Slack = 64 * 1024 * 1024;

    private readonly FileStream m_lock;

    private WorkFolder(string path, bool keep, FileStream lockFile) => (Path, Keep, m_lock) = (path, keep, lockFile);

    /// <summary>Full path.</summary>
    public string Path { get; }

    /// <summary>Whether it stays.</summary>
    public bool Keep { get; set; }

    /// <summary>Makes the folder, after a look at the space on its disk.</summary>
    /// <exception cref="EndToEndException">A folder is in use, or the disk is too small.</exception>
    public static WorkFolder Open(EndToEndOptions options)
    {
        if (options.Work is { } given && Directory.Exists(given) && Directory.EnumerateFileSystemEntries(given).Any())
            throw new EndToEndException($"The work folder {given} is in use: it has files. Give an empty or a new one.");

        var parent = System.IO.Path.GetFullPath(options.Work ?? System.IO.Path.GetTempPath());
        RequireSpace(parent, options);
        var lockFile = Lock(options.Output);
        try
        {
            var path = options.Work is null ? Directory.CreateTempSubdirectory("duplicati-e2e-").FullName : Directory.CreateDirectory(parent).FullName;
            return new WorkFolder(path, options.Keep, lockFile);
        }
        catch
        {
            lockFile.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (!Keep)
            Directory.Delete(Path, recursive: true);
        m_lock.Dispose();
    }

    /// <summary>Bytes that a run has on the disk at most: the data, and for each contender a copy that is changed, the volumes twice, what is restored, and databases.</summary>
    internal static long BytesNeeded(EndToEndOptions options)
    {
        var data = options.Source is { } source ? new DirectoryInfo(source).EnumerateFiles("*", SearchOption.AllDirectories).Sum(file => file.Length) : options.TotalBytes;
        var kept = options.Keep ? options.Repeat * Peer.Contenders(options).Count : 1;
        return checked(data + (kept * ((5 * data) + (data / 10 * options.Versions))) + Slack);
    }

    private static void RequireSpace(string folder, EndToEndOptions options)
    {
        while (!Directory.Exists(folder))
            folder = System.IO.Path.GetDirectoryName(folder)!;
        var free = new DriveInfo(folder).AvailableFreeSpace;
        var needed = BytesNeeded(options);
        if (free < needed)
            throw new EndToEndException($"There is too little space: this takes up to {SizeText.Of(needed)}, and {folder} has {SizeText.Of(free)} free. Give --work DIR on another disk, or less data.");
    }

    private static FileStream Lock(string output)
    {
        Directory.CreateDirectory(output);
        try
        {
            return new FileStream(System.IO.Path.Combine(output, LockName), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None, 1, FileOptions.DeleteOnClose);
        }
        catch (IOException ex)
        {
            throw new EndToEndException($"The output folder {output} is in use by another run. Wait for it, or give another one by --output.", ex);
        }
    }
}
