// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;

namespace Duplicati.Engine.Data;

/// <summary>
/// Permissions of what a restore makes: its owner's alone at first, and at the end those that anything new gets, where the backup knows
/// none. Nothing on Windows.
/// </summary>
internal sealed class NewModes
{
    /// <summary>Of a file that is not complete.</summary>
    internal const UnixFileMode PrivateFile = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <summary>Of a folder that is being filled.</summary>
    internal const UnixFileMode PrivateFolder = PrivateFile | UnixFileMode.UserExecute;

    private const UnixFileMode Executes = UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute;

    private readonly UnixFileMode m_folder;

    /// <summary>Finds out what new folders get, by making one.</summary>
    /// <param name="temporaryFolder">Where it is made, and removed again.</param>
    internal NewModes(string temporaryFolder)
    {
        if (OperatingSystem.IsWindows())
            return;
        var probe = Directory.CreateDirectory(Path.Combine(temporaryFolder, "mode"));
        m_folder = probe.UnixFileMode & (UnixFileMode)UnixFile.PERMISSIONS;
        probe.Delete();
    }

    /// <summary>Gives a file the permissions of a new one.</summary>
    internal void ApplyToFile(string path)
    {
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(path, m_folder & ~Executes);
    }

    /// <summary>Gives a folder the permissions of a new one.</summary>
    internal void ApplyToFolder(string path)
    {
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(path, m_folder);
    }
}
