// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;

namespace Duplicati.Library.SQLiteHelper.Migrations;

/// <summary>An upgrade that failed. The script was rolled back, the connection is closed, the inner exception is the cause.</summary>
public sealed class DatabaseUpgradeException : Exception
{
    internal DatabaseUpgradeException(string message, int version, string? safetyCopy, Exception cause)
        : base(message, cause) => (Version, SafetyCopy) = (version, safetyCopy);

    /// <summary>The version of the schema the database is at.</summary>
    public int Version { get; }

    /// <summary>Path of the copy from before the upgrade, or null if there is none.</summary>
    public string? SafetyCopy { get; }
}
