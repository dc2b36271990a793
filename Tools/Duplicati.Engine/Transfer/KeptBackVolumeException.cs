// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;

namespace Duplicati.Engine.Transfer;

/// <summary>A volume that the folder keeps back, for whoever can go on without it as without a damaged one.</summary>
internal sealed class KeptBackVolumeException : VolumeException
{
    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    /// <param name="cause">What the folder said.</param>
    internal KeptBackVolumeException(string volume, RemoteFileUnreadableException cause)
        : base(volume, cause.What, RemoteFileUnreadableException.REMEDY, cause.HelpID, cause) { }
}
