namespace Duplicati.Engine.Common;

/// <summary>
/// A file of a name that one process at a time holds. The system lets go of it when the process dies, however it does; a file that lies there
/// and that nobody holds means nothing. It is removed when it is let go.
/// </summary>
internal sealed class HeldFile : IDisposable
{
    private const int MostBytes = 1 << 15;

    // Each that fails is one of which another holder was the last; more of them in a row are a file system that does not tell lengths.
    private const int MostAttempts = 100;

    // Errors that mean that somebody has the file: of Linux, of macOS, and two of Windows.
    private static readonly int[] s_inUse = [11, 35, unchecked((int)0x80070020), unchecked((int)0x80070021)];

    private readonly string m_path;
    private readonly FileStream? m_file;

    private HeldFile(string path, FileStream? file)
    {
        m_path = path;
        m_file = file;
    }

    /// <summary>Takes the file, made if it is not there.</summary>
    /// <param name="path">Its name. Where no file can be made, nothing is held, and whoever wants to work there will say so.</param>
    /// <param name="opened">Called when the file is open, before it is known whether it still has its name.</param>
    /// <returns>Null if another one holds it.</returns>
    internal static HeldFile? TryTake(string path, Action? opened = null)
    {
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                var file = Open(path);
                if (Keep(file, path, opened))
                    return new HeldFile(path, file);
            }
            catch (Exception ex) when (ex is UnauthorizedAccessException or DirectoryNotFoundException)
            {
                // On Windows, also a file that is just being removed is refused.
                return OperatingSystem.IsWindows() && File.Exists(path) ? null : new HeldFile(path, null);
            }
            catch (IOException ex) when (s_inUse.Contains(ex.HResult))
            {
                return null;
            }

            // Its last holder has removed it, or the folder has gone: the next attempt tells which.
            if (attempt == MostAttempts)
                return null;
        }
    }

    private static FileStream Open(string path)
    {
        var options = OperatingSystem.IsWindows() ? FileOptions.DeleteOnClose : FileOptions.None;
        return new FileStream(path, new FileStreamOptions { Mode = FileMode.OpenOrCreate, Access = FileAccess.ReadWrite, Share = FileShare.None, BufferSize = 0, Options = options });
    }

    private static bool Keep(FileStream file, string path, Action? opened)
    {
        var isTaken = false;
        try
        {
            opened?.Invoke();
            isTaken = OperatingSystem.IsWindows() || IsStillNamed(file, path);
            return isTaken;
        }
        finally
        {
            // Also after an error, or nobody could take it until the collector comes by.
            if (!isTaken)
                file.Dispose();
        }
    }

    public void Dispose()
    {
        if (m_file is null)
            return;

        using (m_file)
        {
            // While it is held: whoever opened it meanwhile finds that it is no longer the file of that name. Windows removes it once it is closed.
            if (!OperatingSystem.IsWindows())
                TryDelete();
        }
    }

    // The folder may have gone away, with its disk. What ended the operation is the error to be told, and a file that stays is in nobody's way.
    private void TryDelete()
    {
        try
        {
            File.Delete(m_path);
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            return;
        }
    }

    // The file may have been removed by its last holder between the opening and the locking, and another made since. It cannot be opened once
    // more to compare the two, so they are told apart by a length that only this one is given.
    private static bool IsStillNamed(FileStream file, string path)
    {
        var length = Random.Shared.Next(1, MostBytes);
        DiskSpace.SetLength(file.SafeFileHandle, length);
        var named = new FileInfo(path);
        return named.Exists && named.Length == length;
    }
}
