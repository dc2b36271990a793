// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.Versioning;
using System.Security.AccessControl;
using System.Security.Principal;

namespace Duplicati.Library.Common.IO;

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
