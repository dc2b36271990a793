// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Remote.Rclone;
using Duplicati.Library.Interface;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Files;

namespace Duplicati.Engine.Remote;

/// <summary>A folder of this machine as the remote folder of a backup.</summary>
public sealed class LocalFolder : IRemoteFolder
{
    private const string SCHEME = "file://";
    private const string TEMPORARY_PREFIX = ".putting-";
    private const int BUFFER_SIZE = 128 * 1024;

    private readonly string m_path;
    private readonly DurableFiles m_files;
    private readonly Func<string, bool> m_exists;
    private readonly MountedFolder m_mounted;

    private LocalFolder(string path, DurableFiles files, Func<string, bool> exists)
    {
        m_path = path;
        m_files = files;
        m_exists = exists;
        m_mounted = new MountedFolder(path);
        Address = path;
    }

    /// <inheritdoc/>
    public string Address { get; }

    /// <summary>Takes an address apart. The folder need not exist yet.</summary>
    /// <param name="address">A path, or <c>file://</c> and a path in which <c>%xx</c> stands for a byte; options after <c>?</c> are passed
    /// over.</param>
    /// <exception cref="ArgumentException">The address is empty or of another kind.</exception>
    public static LocalFolder Parse(string address) => Parse(address, new DurableFiles());

    /// <summary>As above, with the steps of a put given, and what tells whether a file is there; for tests.</summary>
    internal static LocalFolder Parse(string address, DurableFiles files, Func<string, bool>? exists = null)
    {
        exists ??= File.Exists;
        ArgumentException.ThrowIfNullOrWhiteSpace(address);
        if (!address.StartsWith(SCHEME, StringComparison.OrdinalIgnoreCase))
        {
            var scheme = address.IndexOf("://", StringComparison.Ordinal);
            return scheme < 0
                ? new LocalFolder(Path.GetFullPath(address), files, exists)
                : throw new ArgumentException(
                    $"The address '{address}' is of a kind that is not known: only file://, paths and rclone:NAME:PATH are.",
                    nameof(address)
                );
        }

        var path = address[SCHEME.Length..];
        var options = path.IndexOf('?', StringComparison.Ordinal);
        path = Uri.UnescapeDataString(options < 0 ? path : path[..options]);
        // file:///C:/folder has a slash before the drive.
        if (OperatingSystem.IsWindows() && path.Length > 2 && path[0] == '/' && path[2] == ':')
            path = path[1..];
        ArgumentException.ThrowIfNullOrWhiteSpace(path, nameof(address));
        return new LocalFolder(Path.GetFullPath(path), files, exists);
    }

    /// <summary>The folder of a backup; null if it is none of this machine.</summary>
    internal static string? PathOf(EngineOptions options) =>
        string.IsNullOrWhiteSpace(options.Remote) || RcloneAddress.Fits(options.Remote) ? null : Parse(options.Remote).m_path;

    /// <summary>Whether a name is one that a file has while it is put.</summary>
    internal static bool IsTemporary(string name) => name.StartsWith(TEMPORARY_PREFIX, StringComparison.Ordinal);

    /// <inheritdoc/>
    public int Concurrency => 1;

    /// <summary>Makes the folder if it does not exist.</summary>
    public void Create()
    {
        if (File.Exists(m_path))
            throw new UserInformationException($"{m_path} is a file, and no folder.", "InvalidRemoteAddress");
        Directory.CreateDirectory(m_path);
    }

    /// <inheritdoc/>
    public Task CreateAsync(CancellationToken token) => Task.Run(Create, token);

    /// <inheritdoc/>
    public void Prefetch(IEnumerable<(string Name, long Size)> files)
    {
        // Nothing is gained by reading a file of this machine twice.
    }

    /// <inheritdoc/>
    public Task<IReadOnlyList<RemoteFile>> ListAsync(CancellationToken token) =>
        Task.Run(
            () =>
            {
                RequireFolder();
                var files = new List<RemoteFile>();
                try
                {
                    foreach (var file in new DirectoryInfo(m_path).EnumerateFiles())
                    {
                        token.ThrowIfCancellationRequested();
                        if (!file.Name.StartsWith(TEMPORARY_PREFIX, StringComparison.Ordinal) && Describe(file) is { } described)
                            files.Add(described);
                    }
                }
                catch (DirectoryNotFoundException ex)
                {
                    throw new RemoteFolderMissingException(m_path, ex);
                }

                // Files of a folder that goes away meanwhile look as if each had been removed.
                RequireFolder();
                return (IReadOnlyList<RemoteFile>)files;
            },
            token
        );

    /// <inheritdoc/>
    public async Task GetAsync(string name, string localPath, CancellationToken token)
    {
        var source = Open(name);
        await using var sourceScope = source.ConfigureAwait(false);
        var target = new FileStream(localPath, FileMode.Create, FileAccess.Write, FileShare.Read, bufferSize: 0);
        await using var targetScope = target.ConfigureAwait(false);
        await source.CopyToAsync(target, BUFFER_SIZE, token).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public Stream OpenLocal(string name) => Open(name);

    /// <inheritdoc/>
    /// <remarks>
    /// The file gets a temporary name in the folder (a rename on the same file system, else a copy), is flushed, renamed, and then
    /// the folder is flushed. A killed process may leave the temporary name; see <see cref="RemoveLeftoversAsync"/>.
    /// </remarks>
    public Task PutAsync(string name, string localPath, CancellationToken token) =>
        Task.Run(
            () =>
            {
                var target = PathOf(name);
                RequireFolder();
                var temporary = Path.Combine(m_path, TEMPORARY_PREFIX + Guid.NewGuid().ToString("N"));
                try
                {
                    // Open until the end: its lock goes with the file, so that nobody takes the temporary name for a leftover.
                    using var held = File.OpenHandle(localPath, FileMode.Open, FileAccess.Read, FileShare.Read | FileShare.Delete);
                    m_files.Move(localPath, temporary, overwrite: false);
                    m_files.FlushFile(temporary);
                    m_files.Move(temporary, target, overwrite: true);
                }
                catch
                {
                    File.Delete(temporary);
                    throw;
                }

                m_files.FlushFolder(m_path);
            },
            token
        );

    /// <inheritdoc/>
    /// <remarks>A file that is being put at this moment, by whichever process, is locked and stays.</remarks>
    public Task<int> RemoveLeftoversAsync(CancellationToken token) =>
        Task.Run(
            () =>
            {
                RequireFolder();
                var removed = 0;
                foreach (var path in Directory.EnumerateFiles(m_path, TEMPORARY_PREFIX + "*"))
                {
                    token.ThrowIfCancellationRequested();
                    // In use, gone already, or another user's, it is not ours to remove.
                    var isOurs = Attempt.Do(() =>
                        File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None, FileOptions.DeleteOnClose).Dispose()
                    );
                    removed += isOurs ? 1 : 0;
                }

                return removed;
            },
            token
        );

    /// <inheritdoc/>
    public Task DeleteAsync(string name, CancellationToken token) =>
        Task.Run(
            () =>
            {
                var path = PathOf(name);
                RequireFile(name, path);
                File.Delete(path);
            },
            token
        );

    /// <inheritdoc/>
    public Task MoveAsync(string from, string to, CancellationToken token) =>
        Task.Run(
            () =>
            {
                var source = PathOf(from);
                var target = PathOf(to);
                RequireFile(from, source);
                if (m_exists(target) && !IsItself(from, to))
                    throw new RemoteFileExistsException(Address, to);
                m_files.Move(source, target, overwrite: false);
                m_files.FlushFolder(m_path);
            },
            token
        );

    /// <inheritdoc/>
    public void Dispose()
    {
        // Holds nothing open.
    }

    // Null if another process has removed it since its name was read.
    private static RemoteFile? Describe(FileInfo file)
    {
        try
        {
            // A volume may have been moved to another disk, and a link be in its place.
            var target = (file.Attributes & FileAttributes.ReparsePoint) != 0 ? file.ResolveLinkTarget(returnFinalTarget: true) : null;
            return new RemoteFile(file.Name, (target as FileInfo ?? file).Length, file.LastWriteTimeUtc);
        }
        catch (FileNotFoundException)
        {
            return null;
        }
    }

    private FileStream Open(string name)
    {
        var path = PathOf(name);
        try
        {
            RequireFile(name, path);
            // Opening a pipe would wait for somebody who writes.
            if (UnixFile.IsSpecial(path, followsLinks: true))
                throw new UnauthorizedAccessException("It is no regular file.");
            return new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, FileOptions.SequentialScan);
        }
        catch (FileNotFoundException ex)
        {
            throw new RemoteFileMissingException(Address, name, ex);
        }
        catch (UnauthorizedAccessException ex)
        {
            throw new RemoteFileUnreadableException(Address, name, ex);
        }
    }

    /// <summary>The path of a file; refuses every name that could lead out of the folder or to a temporary file.</summary>
    private string PathOf(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return RemoteName.IsPlain(name) && !IsTemporary(name) ? Path.Combine(m_path, name) : throw new InvalidRemoteNameException(name);
    }

    // Where case makes no difference, the new name leads to the file that is to get it.
    private bool IsItself(string from, string to) =>
        from.Equals(to, StringComparison.OrdinalIgnoreCase) && !Directory.EnumerateFiles(m_path).Any(x => Path.GetFileName(x) == to);

    private void RequireFile(string name, string path)
    {
        RequireFolder();
        try
        {
            // What cannot be looked at is not missing.
            if ((File.GetAttributes(path) & FileAttributes.Directory) != 0)
                throw new RemoteFileMissingException(Address, name);
        }
        catch (Exception ex) when (ex is FileNotFoundException or DirectoryNotFoundException)
        {
            throw new RemoteFileMissingException(Address, name, ex);
        }
    }

    private void RequireFolder()
    {
        if (m_mounted.HasGone())
            throw new RemoteFolderMissingException(m_path);
    }
}
