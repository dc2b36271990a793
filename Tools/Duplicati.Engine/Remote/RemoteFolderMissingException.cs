namespace Duplicati.Engine.Remote;

/// <summary>The remote folder does not exist.</summary>
public sealed class RemoteFolderMissingException : RemoteException
{
    /// <summary>Makes the error.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    public RemoteFolderMissingException(string folder, Exception? inner = null)
        : base($"The folder '{folder}' does not exist. Check the address, or create the folder.", "FolderMissing", inner)
    {
    }
}
