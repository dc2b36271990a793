namespace Duplicati.Engine.Remote;

/// <summary>A file cannot get a name because another one has it. Nothing was touched.</summary>
public sealed class RemoteFileExistsException : RemoteException
{
    /// <summary>Makes the error.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="name">The file.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    public RemoteFileExistsException(string folder, string name, Exception? inner = null)
        : base($"The file '{name}' exists in '{folder}' already. Move it elsewhere, and try again.", "FileExists", inner) => FileName = name;

    /// <summary>The file.</summary>
    public string FileName { get; }
}
