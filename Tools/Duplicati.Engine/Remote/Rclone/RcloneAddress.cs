// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using Duplicati.Library.Interface;

namespace Duplicati.Engine.Remote.Rclone;

/// <summary>An address <c>rclone:NAME:PATH</c>: a folder of a remote that rclone's configuration names.</summary>
/// <param name="Name">The remote, as <c>rclone listremotes</c> shows it, without the colon.</param>
/// <param name="Path">The folder in it; empty for its root.</param>
internal sealed partial record RcloneAddress(string Name, string Path)
{
    private const string Scheme = "rclone:";

    /// <summary>The folder as rclone's commands take it. Never begins with a dash.</summary>
    internal string Target => $"{Name}:{Path}";

    /// <summary>Whether an address is meant for rclone.</summary>
    internal static bool Fits(string address) => address.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase);

    /// <summary>Takes an address apart.</summary>
    /// <exception cref="UserInformationException">Help id <c>InvalidRemoteAddress</c>: the name is not one of a configured remote.
    /// Connection strings, which may hold secrets
    /// that other users could see in the list of processes, are not taken.</exception>
    internal static RcloneAddress Parse(string address)
    {
        var parts = address[Scheme.Length..].Split(':', 2);
        if (parts.Length != 2 || !ConfiguredName().IsMatch(parts[0]) || parts[1].Any(char.IsControl))
            throw new UserInformationException(
                "Write rclone:NAME:PATH, with NAME one of the remotes that 'rclone listremotes' shows; 'rclone config' makes one.",
                "InvalidRemoteAddress"
            );
        return new RcloneAddress(parts[0], parts[1].Length > 1 ? parts[1].TrimEnd('/') : parts[1]);
    }

    /// <summary>A file of the folder as rclone's commands take it.</summary>
    internal string FileTarget(string name) => Path.Length == 0 || Path.EndsWith('/') ? Target + name : $"{Target}/{name}";

    public override string ToString() => Scheme + Target;

    [GeneratedRegex(@"^[\w.+@][\w.+@ -]*$")]
    private static partial Regex ConfiguredName();
}
