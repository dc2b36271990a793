// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Remote.Rclone;

/// <summary>rclone could not do what was asked. Each cause with a remedy of its own is a derived type.</summary>
public class RcloneException : RemoteException
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">What is wrong and what the user can do.</param>
    /// <param name="helpId">The stable name of the error.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    public RcloneException(string message, string helpId = "RcloneFailed", Exception? inner = null)
        : base(message, helpId, inner) { }
}

/// <summary>The program rclone cannot be started.</summary>
public sealed class RcloneMissingException : RcloneException
{
    /// <summary>Makes the error.</summary>
    /// <param name="program">What was tried.</param>
    /// <param name="inner">What the system says.</param>
    public RcloneMissingException(string program, Exception inner)
        : base(
            $"The program '{program}' cannot be started ({inner?.Message}). Install rclone (rclone.org/install, or the package rclone of the system), or say where it is with --rclone PROGRAM.",
            "RcloneMissing",
            inner
        ) { }
}

/// <summary>rclone's configuration does not have the remote, or cannot be read.</summary>
public sealed class RcloneNotConfiguredException : RcloneException
{
    /// <summary>Makes the error.</summary>
    /// <param name="name">The remote.</param>
    /// <param name="said">What rclone said.</param>
    public RcloneNotConfiguredException(string name, string said)
        : base(
            $"rclone cannot use a remote '{name}'. 'rclone listremotes' shows the names it knows, 'rclone config' makes one; an encrypted configuration needs RCLONE_CONFIG_PASS. rclone says: {said}",
            "RcloneNotConfigured"
        ) { }
}

/// <summary>The remote refused access.</summary>
public sealed class RcloneAccessException : RcloneException
{
    /// <summary>Makes the error.</summary>
    /// <param name="address">The remote folder.</param>
    /// <param name="name">The remote.</param>
    /// <param name="said">What rclone said.</param>
    public RcloneAccessException(string address, string name, string said)
        : base(
            $"'{address}' refused access. Check user, password and permissions with 'rclone config', or renew them with 'rclone config reconnect {name}:'. rclone says: {said}",
            "RcloneAccessDenied"
        ) { }
}

/// <summary>The remote cannot be reached.</summary>
public sealed class RcloneNetworkException : RcloneException
{
    /// <summary>Makes the error.</summary>
    /// <param name="address">The remote folder.</param>
    /// <param name="said">What rclone said.</param>
    public RcloneNetworkException(string address, string said)
        : base($"'{address}' cannot be reached. Check the network, and try again. rclone says: {said}", "RcloneNetwork") { }
}

/// <summary>A file arrived other than it was sent.</summary>
public sealed class RcloneTransferException : RcloneException
{
    /// <summary>Makes the error.</summary>
    /// <param name="address">The remote folder.</param>
    /// <param name="name">The file.</param>
    /// <param name="difference">How it differs.</param>
    public RcloneTransferException(string address, string name, string difference)
        : base(
            $"'{name}' did not come through whole between here and '{address}': {difference}. Try again; if it stays so, the remote or rclone is at fault.",
            "RcloneTransfer"
        ) { }
}
