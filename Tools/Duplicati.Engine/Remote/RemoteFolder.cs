// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Remote.Rclone;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;

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
    /// <exception cref="UserInformationException">Help ids <c>InvalidRemoteAddress</c>: not of the form <c>rclone:NAME:PATH</c>;
    /// <c>InvalidPrefix</c>: no volume can have that prefix.</exception>
    /// <exception cref="ArgumentException">The address is empty or of a kind that is not known.</exception>
    public static IRemoteFolder Open(EngineOptions options, IEngineProgress progress)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(progress);
        RemoteName.RequirePrefix(options.PrefixOrDefault);
        IRemoteFolder folder = RcloneAddress.Fits(options.Remote ?? "")
            ? new RcloneFolder(options, progress)
            : LocalFolder.Parse(options.Remote!);
        return new SiftedFolder(Through.Value is { } through ? through(folder) : folder, progress);
    }
}

/// <summary>Which texts are names of files directly in a remote folder.</summary>
internal static class RemoteName
{
    // Of a file system of Linux.
    private const int MostBytes = 255;

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

    /// <summary>Fails for a prefix with which no volume could be written, or found again.</summary>
    /// <exception cref="UserInformationException">Help id <c>InvalidPrefix</c>.</exception>
    internal static void RequirePrefix(string prefix)
    {
        var longest = $"{prefix}-b{Guid.Empty:N}.dblock.{VolumeName.TZSTD}.{VolumeName.AES}";
        if (
            !IsPlain(longest)
            || Encoding.UTF8.GetByteCount(longest) > MostBytes
            || LocalFolder.IsTemporary(longest)
            || VolumeName.Parse(longest)?.Prefix != prefix
        )
            throw new UserInformationException(
                $"The prefix \"{prefix}\" is not possible; it must be one that file names can begin with on every system: a short word without -, :, / and \\.",
                "InvalidPrefix"
            );
    }
}
