// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable disable

using Duplicati.Library.Localization.Short;

namespace Duplicati.Library.SQLiteHelper.Strings;

/// <summary>What the upgrade of a database tells its user.</summary>
internal static class DatabaseUpgrader
{
    /// <summary>First word of the name of a safety copy.</summary>
    public static string BackupFilenamePrefix => LC.L("backup");

    /// <summary>The file cannot be read as a database of this kind.</summary>
    /// <param name="message">The cause.</param>
    /// <returns>The text.</returns>
    public static string DatabaseFormatError(string message) =>
        LC.L("The version of the database could not be read; the file is damaged or is no such database: {0}", message);

    /// <summary>The file was made by a newer release.</summary>
    /// <param name="actualversion">The version found.</param>
    /// <param name="maxversion">The newest version this program knows.</param>
    /// <param name="backupfolder">Where copies from before an upgrade are.</param>
    /// <returns>The text.</returns>
    public static string InvalidVersionError(int actualversion, int maxversion, string backupfolder) =>
        LC.L(
            "The database has version {0} but the newest version this program supports is {1}. It was probably opened by a newer release; copies made before an upgrade are in the folder \"{2}\".",
            actualversion,
            maxversion,
            backupfolder
        );

    /// <summary>More than one object is named like the version table.</summary>
    public static string TableLayoutError => LC.L("Unknown table layout detected");

    /// <summary>A script failed.</summary>
    /// <param name="sql">The statement.</param>
    /// <param name="message">The cause.</param>
    /// <returns>The text.</returns>
    public static string UpgradeFailure(string sql, string message) => LC.L("Failed to execute SQL: {0}\r\nError: {1}", sql, message);
}
