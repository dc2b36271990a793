// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.Versioning;

namespace Duplicati.Library.Common.IO;

/// <summary>File operations of Linux and macOS.</summary>
[UnsupportedOSPlatform("windows")]
internal sealed class SystemIOLinux : ISystemIO
{
    public bool FileExists(string path) => File.Exists(path);

    public void FileSetPermissionUserRWOnly(string path) => File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);

    public bool IsAlternateDataStream(string path) => false;
}
