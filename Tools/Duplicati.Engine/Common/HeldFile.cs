// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Engine.Common;

/// <summary>
/// A file of a name that one process at a time holds. The system lets go of it when the process dies, however it does; a file that lies
/// there and that nobody holds means nothing. It is removed when it is let go.
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
    private readonly bool m_isForeign;

    private HeldFile(string path, FileStream? file, bool isForeign)
    {
        m_path = path;
        m_file = file;
        m_isForeign = isForeign;
    }

    /// <summary>Whether there is a file that keeps others out.</summary>
    internal bool IsHeld => m_file is not null;

    /// <summary>
    /// Takes the file, made if it is not there. One of somebody else, which this process may not write to or which holds something, is
    /// held as well, and stays as it is.
    /// </summary>
    /// <param name="path">Its name. Where no file can be made, nothing is held, and whoever wants to work there will say so.</param>
    /// <param name="opened">Called when the file is open, before it is known whether it still has its name.</param>
    /// <returns>Null if another one holds it.</returns>
    /// <exception cref="UserInformationException">It is there, and cannot even be read; help id <c>LockIsNotAccessible</c>.</exception>
    internal static HeldFile? TryTake(string path, Action? opened = null)
    {
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                var file = Open(path, FileAccess.ReadWrite);
                var isForeign = IsForeign(file);
                if (Keep(file, path, isForeign, opened))
                    return new HeldFile(path, file, isForeign);
            }
            catch (UnauthorizedAccessException) when (!OperatingSystem.IsWindows() && File.Exists(path))
            {
                return TryTakeForeign(path);
            }
            catch (Exception ex) when (ex is UnauthorizedAccessException or DirectoryNotFoundException)
            {
                // On Windows, also a file that is just being removed is refused.
                return OperatingSystem.IsWindows() && File.Exists(path) ? null : new HeldFile(path, null, false);
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

    private static HeldFile? TryTakeForeign(string path)
    {
        try
        {
            var file = Open(path, FileAccess.Read);
            return Keep(file, path, isForeign: true, null) ? new HeldFile(path, file, true) : null;
        }
        catch (FileNotFoundException)
        {
            return null;
        }
        catch (IOException ex) when (s_inUse.Contains(ex.HResult))
        {
            return null;
        }
        catch (UnauthorizedAccessException ex)
        {
            throw new UserInformationException(
                $"The lock file {path} belongs to another user and cannot be read. If no operation of that user is running, remove it.",
                "LockIsNotAccessible",
                ex
            );
        }
    }

    private static FileStream Open(string path, FileAccess access)
    {
        var options = OperatingSystem.IsWindows() ? FileOptions.DeleteOnClose : FileOptions.None;
        var mode = access == FileAccess.Read ? FileMode.Open : FileMode.OpenOrCreate;
        return new FileStream(path, mode, access, FileShare.None, bufferSize: 0, options);
    }

    // What a killed holder left has a length and nothing in it.
    private static bool IsForeign(FileStream file)
    {
        if (OperatingSystem.IsWindows() || file.Length == 0)
            return false;
        var content = new byte[MostBytes];
        var read = RandomAccess.Read(file.SafeFileHandle, content, 0);
        return file.Length > MostBytes || content.AsSpan(0, read).ContainsAnyExcept((byte)0);
    }

    private static bool Keep(FileStream file, string path, bool isForeign, Action? opened)
    {
        var isTaken = false;
        try
        {
            opened?.Invoke();
            isTaken = OperatingSystem.IsWindows() || (isForeign ? UnixFile.IsAt(file.SafeFileHandle, path) : IsStillNamed(file, path));
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
            // While it is held: whoever opened it meanwhile finds that it is no longer the file of that name. Windows removes it once it is
            // closed. The folder may have gone away, with its disk: what ended the operation is the error to be told, and a file that stays
            // is in nobody's way.
            if (!OperatingSystem.IsWindows() && !m_isForeign)
                Attempt.Do(() => File.Delete(m_path));
        }
    }

    // The file may have been removed by its last holder between the opening and the locking, and another made since. It cannot be opened
    // once more to compare the two, so they are told apart by a length that only this one is given.
    private static bool IsStillNamed(FileStream file, string path)
    {
        var length = Random.Shared.Next(1, MostBytes);
        DiskSpace.SetLength(file.SafeFileHandle, length);
        var named = new FileInfo(path);
        return named.Exists && named.Length == length;
    }
}
