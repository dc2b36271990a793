// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Remote.Rclone;

/// <summary>rclone could not do what was asked. Each cause with a remedy of its own has a help id.</summary>
public class RcloneException : RemoteException
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">What is wrong and what the user can do.</param>
    /// <param name="helpId">The stable name of the error.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    public RcloneException(string message, string helpId = "RcloneFailed", Exception? inner = null)
        : base(message, helpId, inner) { }
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
