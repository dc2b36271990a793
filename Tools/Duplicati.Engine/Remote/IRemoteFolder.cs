namespace Duplicati.Engine.Remote;

/// <summary>Where the volumes of a backup are. Names are plain file names; others are refused. Safe for concurrent use on different files.</summary>
public interface IRemoteFolder
{
    /// <summary>The address, for messages.</summary>
    string Address { get; }

    /// <summary>Lists the files, in no particular order, without those still being put.</summary>
    /// <param name="token">Cancels.</param>
    /// <returns>All files directly in the folder.</returns>
    /// <exception cref="RemoteFolderMissingException">The folder does not exist.</exception>
    Task<IReadOnlyList<RemoteFile>> ListAsync(CancellationToken token);

    /// <summary>Fetches a file.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="localPath">The local file, made or overwritten.</param>
    /// <param name="token">Cancels; the local file is then incomplete.</param>
    /// <returns>Ends when the file is complete.</returns>
    /// <exception cref="RemoteFileMissingException">There is no such file.</exception>
    /// <exception cref="RemoteFolderMissingException">The folder does not exist.</exception>
    Task GetAsync(string name, string localPath, CancellationToken token);

    /// <summary>Puts a file. It appears under its name complete or not at all, also after a power loss, and replaces one of the same name.</summary>
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
}
