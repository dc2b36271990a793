// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Remote.Rclone;

namespace Duplicati.Engine.Remote;

/// <summary>Finds the kind of remote folder that an address means.</summary>
public static class RemoteFolder
{
    /// <summary>Stands between whatever this call chain runs and the remote folders; for tests of whole commands.</summary>
    internal static readonly AsyncLocal<Func<IRemoteFolder, IRemoteFolder>?> Through = new();

    /// <summary>Opens a remote folder; the folder need not exist yet, and nothing is asked of it.</summary>
    /// <param name="options">The address, and how to get there.</param>
    /// <param name="progress">Told what is fetched ahead, and which files are left out of lists.</param>
    /// <returns>The folder, to be disposed of.</returns>
    /// <exception cref="Duplicati.Library.Interface.UserInformationException">Help id <c>InvalidRemoteAddress</c>: not of the form
    /// <c>rclone:NAME:PATH</c>.</exception>
    /// <exception cref="ArgumentException">The address is empty or of a kind that is not known.</exception>
    public static IRemoteFolder Open(EngineOptions options, IEngineProgress progress)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(progress);
        IRemoteFolder folder = RcloneAddress.Fits(options.Remote ?? "")
            ? new RcloneFolder(options, progress)
            : LocalFolder.Parse(options.Remote!);
        return new SiftedFolder(Through.Value is { } through ? through(folder) : folder, progress);
    }
}

/// <summary>Which texts are names of files directly in a remote folder.</summary>
internal static class RemoteName
{
    /// <summary>
    /// Whether a text is a plain name on every system: no separators, no colon, no NUL, neither <c>.</c> nor <c>..</c>, at most 255
    /// characters.
    /// </summary>
    // Both separators and the colon on every system, since a backup may move from one to the other.
    internal static bool IsPlain(string name) =>
        name.Length is > 0 and <= 255
        && name is not "." and not ".."
        && name.AsSpan().IndexOfAny("/\\:\0") < 0
        && name.IndexOfAny(Path.GetInvalidFileNameChars()) < 0;
}
