// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;

namespace Duplicati.Engine.Remote;

/// <summary>
/// A remote folder cannot do what was asked. Each cause is a derived type; the message names the folder or file and the remedy.
/// </summary>
public abstract class RemoteException : UserInformationException
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">What is wrong and what the user can do.</param>
    /// <param name="helpId">The stable name of the error.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    protected RemoteException(string message, string helpId, Exception? inner)
        : base(message, helpId, inner!) { }
}

/// <summary>
/// One file of a remote folder cannot be had, and nothing is wrong with the others: whoever reads many goes on with the next. Any other
/// <see cref="RemoteException"/> is of the whole folder.
/// </summary>
public abstract class RemoteFileException : RemoteException
{
    /// <inheritdoc/>
    protected RemoteFileException(string message, string helpId, Exception? inner)
        : base(message, helpId, inner) { }
}

/// <summary>The remote folder does not exist.</summary>
public sealed class RemoteFolderMissingException : RemoteException
{
    /// <summary>Makes the error.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    public RemoteFolderMissingException(string folder, Exception? inner = null)
        : base($"The folder '{folder}' does not exist. Check the address, or create the folder.", "FolderMissing", inner) { }
}

/// <summary>A file does not exist in the remote folder.</summary>
public sealed class RemoteFileMissingException : RemoteFileException
{
    /// <summary>Makes the error.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="name">The file.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    public RemoteFileMissingException(string folder, string name, Exception? inner = null)
        : base(
            $"The file '{name}' does not exist in '{folder}'. {(VolumeName.Parse(name)?.Type == RemoteVolumeType.Blocks ? Advice.MissingBlockVolumes() : Advice.MissingVolume())}",
            "FileMissing",
            inner
        ) { }
}

/// <summary>A file is there, and cannot be fetched, while the folder answers.</summary>
public sealed class RemoteFileUnreadableException : RemoteFileException
{
    /// <summary>What can be done.</summary>
    internal const string REMEDY = "Make it readable, and run the same command again.";

    /// <summary>Makes the error.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="name">The file.</param>
    /// <param name="cause">Why.</param>
    public RemoteFileUnreadableException(string folder, string name, Exception cause)
        : this($"The file '{name}' cannot be fetched from '{folder}': {cause.Message}", cause) { }

    private RemoteFileUnreadableException(string what, Exception cause)
        : base($"{what} {REMEDY}", "FileNotReadable", cause) => What = what;

    /// <summary>What is wrong, without what to do.</summary>
    internal string What { get; }
}

/// <summary>A file cannot get a name because another one has it. Nothing was touched.</summary>
public sealed class RemoteFileExistsException : RemoteException
{
    /// <summary>Makes the error.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="name">The file.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    public RemoteFileExistsException(string folder, string name, Exception? inner = null)
        : base($"The file '{name}' exists in '{folder}' already. Move it elsewhere, and try again.", "FileExists", inner) { }
}

/// <summary>A name that is not one of a file directly in the remote folder. Nothing was touched.</summary>
public sealed class InvalidRemoteNameException : RemoteFileException
{
    /// <summary>Makes the error.</summary>
    /// <param name="name">The name.</param>
    public InvalidRemoteNameException(string name)
        : base($"'{name}' is not a plain file name. {Advice.DamagedName()}", "InvalidRemoteName", null) { }
}
