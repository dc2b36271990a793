namespace Duplicati.Engine.Common;

/// <summary>
/// The turn of an operation that changes a backup: of those on one database, in whatever processes, one runs and the others wait. What only
/// looks needs no turn, as the database alone keeps readers and a writer apart; but two that write would each find the other's half-uploaded
/// volumes, take them for left over, and delete them.
/// </summary>
/// <remarks>
/// A file beside the database, held open without sharing. The system lets go of it when its process dies, however it does; a file that lies
/// there and that nobody holds means nothing. It is removed at the end of the turn.
/// </remarks>
internal sealed class OperationTurn : IDisposable
{
    /// <summary>What the name of the file ends with, after that of the database.</summary>
    internal const string Suffix = ".lock";

    private const int PauseMilliseconds = 50;
    private const int MostBytes = 1 << 20;

    // Errors that mean that somebody has the file: of Linux, of macOS, and two of Windows.
    private static readonly int[] s_inUse = [11, 35, unchecked((int)0x80070020), unchecked((int)0x80070021)];

    private readonly string m_path;
    private readonly FileStream? m_file;

    private OperationTurn(string path, FileStream? file)
    {
        m_path = path;
        m_file = file;
    }

    /// <summary>Waits for the turn, as long as it takes.</summary>
    /// <param name="databasePath">The database. Where no file can be made beside it, the operation will say so itself, and has its turn at once.</param>
    /// <param name="progress">Told once that there is a wait.</param>
    /// <param name="token">Ends the wait.</param>
    /// <returns>The turn; it ends when disposed.</returns>
    internal static async Task<OperationTurn> TakeAsync(string databasePath, IEngineProgress progress, CancellationToken token)
    {
        var path = Path.GetFullPath(databasePath) + Suffix;
        for (var waited = false; ; waited = true)
        {
            token.ThrowIfCancellationRequested();
            if (TryTake(path) is { } turn)
                return turn;
            if (!waited)
                progress.Message($"Waiting for another operation that works on {databasePath} at the moment");
            await Task.Delay(PauseMilliseconds, token).ConfigureAwait(false);
        }
    }

    public void Dispose()
    {
        if (m_file is null)
            return;

        // While it is held: whoever opened it meanwhile finds that it is no longer the file of that name. Windows removes it once it is closed.
        if (!OperatingSystem.IsWindows())
            File.Delete(m_path);
        m_file.Dispose();
    }

    private static OperationTurn? TryTake(string path)
    {
        FileStream file;
        try
        {
            var options = OperatingSystem.IsWindows() ? FileOptions.DeleteOnClose : FileOptions.None;
            file = new FileStream(path, new FileStreamOptions { Mode = FileMode.OpenOrCreate, Access = FileAccess.ReadWrite, Share = FileShare.None, BufferSize = 0, Options = options });
        }
        catch (Exception ex) when (ex is UnauthorizedAccessException or DirectoryNotFoundException)
        {
            // On Windows, also a file that is just being removed is refused.
            return OperatingSystem.IsWindows() && File.Exists(path) ? null : new OperationTurn(path, null);
        }
        catch (IOException ex) when (s_inUse.Contains(ex.HResult))
        {
            return null;
        }

        if (OperatingSystem.IsWindows() || IsStillNamed(file, path))
            return new OperationTurn(path, file);
        file.Dispose();
        return null;
    }

    // The file may have been removed by its last holder between the opening and the locking, and another made since. It cannot be opened once
    // more to compare the two, so they are told apart by a length that only this one is given.
    private static bool IsStillNamed(FileStream file, string path)
    {
        var length = Random.Shared.Next(1, MostBytes);
        file.SetLength(length);
        var named = new FileInfo(path);
        return named.Exists && named.Length == length;
    }
}
