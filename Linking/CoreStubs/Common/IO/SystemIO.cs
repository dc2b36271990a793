// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Common.IO;

/// <summary>The file operations of the operating system the program runs on.</summary>
public static class SystemIO
{
    /// <summary>The operations.</summary>
    public static readonly ISystemIO IO_OS = OperatingSystem.IsWindows() ? new SystemIOWindows() : new SystemIOLinux();
}
