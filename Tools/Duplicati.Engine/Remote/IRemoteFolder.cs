// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Remote;

/// <summary>
/// Where the volumes of a backup are. Names are plain file names; others are refused. Safe for concurrent use on different files.
/// Disposing of it ends what it still does in the background and removes its temporary files.
/// </summary>
public interface IRemoteFolder : IDisposable
{
    /// <summary>The address, for messages.</summary>
    string Address { get; }

    /// <summary>Number of puts or deletions that are worth while at the same time; 1 where each is done at once.</summary>
    int Concurrency { get; }

    /// <summary>Makes the folder if it does not exist.</summary>
    /// <param name="token">Cancels.</param>
    /// <returns>Ends when the folder is there.</returns>
    Task CreateAsync(CancellationToken token);

    /// <summary>Lists the files, in no particular order, without those still being put.</summary>
    /// <param name="token">Cancels.</param>
    /// <returns>All files directly in the folder.</returns>
    /// <exception cref="RemoteFolderMissingException">The folder does not exist.</exception>
    Task<IReadOnlyList<RemoteFile>> ListAsync(CancellationToken token);

    /// <summary>Lists the files, with those that <see cref="ListAsync"/> takes for what another program has left.</summary>
    /// <param name="token">Cancels.</param>
    /// <returns>All files directly in the folder.</returns>
    /// <exception cref="RemoteFolderMissingException">The folder does not exist.</exception>
    Task<IReadOnlyList<RemoteFile>> ListAllAsync(CancellationToken token) => ListAsync(token);

    /// <summary>
    /// Says which files will be fetched, roughly in this order, so that a folder that is far away can fetch many at once and ahead. Takes
    /// the place of what was said before. A file may be fetched without having been named, and one that was named need not be fetched.
    /// Does not wait.
    /// </summary>
    /// <param name="files">Names and sizes in bytes; a negative size is not known.</param>
    void Prefetch(IEnumerable<(string Name, long Size)> files);

    /// <summary>Fetches a file.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="localPath">The local file, made or overwritten.</param>
    /// <param name="token">Cancels; the local file is then incomplete.</param>
    /// <returns>Ends when the file is complete.</returns>
    /// <exception cref="RemoteFileMissingException">There is no such file.</exception>
    /// <exception cref="RemoteFolderMissingException">The folder does not exist.</exception>
    Task GetAsync(string name, string localPath, CancellationToken token);

    /// <summary>Opens a file for reading where it lies, if that is on this machine.</summary>
    /// <param name="name">Its name.</param>
    /// <returns>The file, at its start, which the caller closes; null if files have to be fetched.</returns>
    /// <exception cref="RemoteFileMissingException">There is no such file.</exception>
    /// <exception cref="RemoteFolderMissingException">The folder does not exist.</exception>
    Stream? OpenLocal(string name);

    /// <summary>
    /// Puts a file. It appears under its name complete or not at all, also after a power loss, and replaces one of the same name.
    /// </summary>
    /// <param name="name">Its name.</param>
    /// <param name="localPath">The local file; it is gone afterwards.</param>
    /// <param name="token">Cancels; the local file may then be gone as well.</param>
    /// <returns>Ends when the file is there to stay.</returns>
    /// <exception cref="RemoteFolderMissingException">The folder does not exist.</exception>
    Task PutAsync(string name, string localPath, CancellationToken token);

    /// <summary>Removes what killed processes left of files they were putting.</summary>
    /// <param name="token">Cancels.</param>
    /// <returns>The number of files removed.</returns>
    /// <exception cref="RemoteFolderMissingException">The folder does not exist.</exception>
    Task<int> RemoveLeftoversAsync(CancellationToken token);

    /// <summary>Deletes a file.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>Ends when the file is gone.</returns>
    /// <exception cref="RemoteFileMissingException">There is no such file.</exception>
    /// <exception cref="RemoteFolderMissingException">The folder does not exist.</exception>
    Task DeleteAsync(string name, CancellationToken token);

    /// <summary>Gives a file another name in the same folder.</summary>
    /// <param name="from">Its name.</param>
    /// <param name="to">The new name, of no file that exists.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>Ends when the file has its new name to stay.</returns>
    /// <exception cref="RemoteFileMissingException">There is no such file.</exception>
    /// <exception cref="RemoteFileExistsException">There is a file of the new name; nothing was changed.</exception>
    /// <exception cref="RemoteFolderMissingException">The folder does not exist.</exception>
    Task MoveAsync(string from, string to, CancellationToken token);
}

/// <summary>A file of a remote folder.</summary>
/// <param name="Name">Its name, without a folder.</param>
/// <param name="Size">Its length, bytes.</param>
/// <param name="LastWrite">Its last change, UTC.</param>
public sealed record RemoteFile(string Name, long Size, DateTime LastWrite)
{
    /// <summary>The other lengths of a name that the folder lists several times.</summary>
    public IReadOnlyList<long> OtherSizes { get; init; } = [];

    /// <summary>Whether one of the files of this name has a length.</summary>
    /// <param name="size">The length, bytes.</param>
    public bool HasSize(long size) => Size == size || OtherSizes.Contains(size);
}

/// <summary>A remote folder that leaves to another one whatever a class derived from it does not do itself.</summary>
/// <param name="folder">The other folder; disposed of together with this one.</param>
internal abstract class ForwardingFolder(IRemoteFolder folder) : IRemoteFolder
{
    public virtual string Address => folder.Address;

    public virtual int Concurrency => folder.Concurrency;

    public virtual Task CreateAsync(CancellationToken token) => folder.CreateAsync(token);

    public virtual Task<IReadOnlyList<RemoteFile>> ListAsync(CancellationToken token) => folder.ListAsync(token);

    public virtual Task<IReadOnlyList<RemoteFile>> ListAllAsync(CancellationToken token) => folder.ListAllAsync(token);

    public virtual void Prefetch(IEnumerable<(string Name, long Size)> files) => folder.Prefetch(files);

    public virtual Task GetAsync(string name, string localPath, CancellationToken token) => folder.GetAsync(name, localPath, token);

    public virtual Stream? OpenLocal(string name) => folder.OpenLocal(name);

    public virtual Task PutAsync(string name, string localPath, CancellationToken token) => folder.PutAsync(name, localPath, token);

    public virtual Task<int> RemoveLeftoversAsync(CancellationToken token) => folder.RemoveLeftoversAsync(token);

    public virtual Task DeleteAsync(string name, CancellationToken token) => folder.DeleteAsync(name, token);

    public virtual Task MoveAsync(string from, string to, CancellationToken token) => folder.MoveAsync(from, to, token);

    public virtual void Dispose() => folder.Dispose();
}
