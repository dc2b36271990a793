// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Local;

/// <summary>The values of Fileset.IsFullBackup.</summary>
public static class BackupType
{
    /// <summary>The backup was interrupted or left something out.</summary>
    public const int PARTIAL_BACKUP = 0;

    /// <summary>The backup is complete.</summary>
    public const int FULL_BACKUP = 1;
}
