using Duplicati.Engine.Common;

namespace Duplicati.Engine.Remote;

/// <summary>A file does not exist in the remote folder.</summary>
public sealed class RemoteFileMissingException : RemoteException
{
    /// <summary>Makes the error.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="name">The file.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    public RemoteFileMissingException(string folder, string name, Exception? inner = null)
        : base($"The file '{name}' does not exist in '{folder}'. {Advice.MissingVolume()}", "FileMissing", inner) => FileName = name;

    /// <summary>The file.</summary>
    public string FileName { get; }
}
