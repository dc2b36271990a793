// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.Versioning;
using System.Security.AccessControl;
using System.Security.Principal;

namespace Duplicati.Library.Common.IO;

/// <summary>File operations that differ between operating systems.</summary>
public interface ISystemIO
{
    /// <summary>Whether a file exists.</summary>
    /// <param name="path">Its path.</param>
    /// <returns>True if it does and is not a folder.</returns>
    bool FileExists(string path);

    /// <summary>Lets only the current user read and write a file.</summary>
    /// <param name="path">Its path.</param>
    /// <exception cref="IOException">The file system has no permissions.</exception>
    void FileSetPermissionUserRWOnly(string path);

    /// <summary>Whether a path names an alternate data stream of a file (Windows only).</summary>
    /// <param name="path">A full path.</param>
    /// <returns>True if it does.</returns>
    bool IsAlternateDataStream(string path);
}

/// <summary>The file operations of the operating system the program runs on.</summary>
public static class SystemIO
{
    /// <summary>The operations.</summary>
    public static readonly ISystemIO IO_OS = OperatingSystem.IsWindows() ? new SystemIOWindows() : new SystemIOLinux();
}

/// <summary>File operations of Linux and macOS.</summary>
[UnsupportedOSPlatform("windows")]
internal sealed class SystemIOLinux : ISystemIO
{
    public bool FileExists(string path) => File.Exists(path);

    public void FileSetPermissionUserRWOnly(string path) => File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);

    public bool IsAlternateDataStream(string path) => false;
}

/// <summary>File operations of Windows.</summary>
[SupportedOSPlatform("windows")]
internal sealed class SystemIOWindows : ISystemIO
{
    private const int DRIVE_COLON = 1;

    public bool FileExists(string path) => File.Exists(path);

    public void FileSetPermissionUserRWOnly(string path)
    {
        var file = new FileInfo(path);
        var security = new FileSecurity();
        security.SetAccessRuleProtection(isProtected: true, preserveInheritance: false);
        security.AddAccessRule(
            new FileSystemAccessRule(WindowsIdentity.GetCurrent().User!, FileSystemRights.FullControl, AccessControlType.Allow)
        );
        file.SetAccessControl(security);
    }

    public bool IsAlternateDataStream(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        var name = Math.Max(path.LastIndexOf('\\'), path.LastIndexOf('/')) + 1;
        return path.IndexOf(':', Math.Max(name, DRIVE_COLON + 1) <= path.Length ? Math.Max(name, DRIVE_COLON + 1) : path.Length) >= 0;
    }
}
