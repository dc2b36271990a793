#nullable enable

using System;

namespace Duplicati.Library.Main.Database.Volumes;

/// <summary>What is to become of a remote volume.</summary>
/// <param name="Name">Its name.</param>
/// <param name="State">The new state.</param>
/// <param name="Size">The size in bytes; -1 if unknown.</param>
/// <param name="Hash">The Base64 hash of the remote file, or null.</param>
/// <param name="SuppressCleanup">Keep what depends on the volume even if it is deleted.</param>
/// <param name="DeleteGraceTime">How long from now a deleted row is kept; zero leaves the time alone.</param>
/// <param name="SetArchived">Set or clear the archive time; null leaves it alone.</param>
internal readonly record struct VolumeUpdate(string Name, RemoteVolumeState State, long Size, string? Hash, bool SuppressCleanup, TimeSpan DeleteGraceTime, bool? SetArchived)
{
    /// <summary>True if everything that depends on the volume goes with it.</summary>
    internal bool RemovesContents => State == RemoteVolumeState.Deleted && !SuppressCleanup;
}
