// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.IO;
using Duplicati.Library.SQLiteHelper.Decryption;

namespace Duplicati.Library.SQLiteHelper;

/// <summary>Reads databases that releases long ago encrypted with the RC4 codec of their SQLite wrapper.</summary>
public static class SQLiteRC4Decrypter
{
    private const string KEY_VARIABLE = "DUPLICATI_DB_KEY";
    private const string KEY_OPTION = "server-encryption-key";
    private const string DEFAULT_KEY = "Duplicati_Key_42";

    /// <summary>
    /// The password of the server database: the option, else the environment variable <c>DUPLICATI_DB_KEY</c>, else the built-in one.
    /// </summary>
    /// <param name="commandlineOptions">The options of the server.</param>
    /// <returns>The password.</returns>
    public static string? GetEncryptionPassword(Dictionary<string, string> commandlineOptions)
    {
        ArgumentNullException.ThrowIfNull(commandlineOptions);
        return commandlineOptions.TryGetValue(KEY_OPTION, out var password) ? password
            : Environment.GetEnvironmentVariable(KEY_VARIABLE) is { Length: > 0 } fromEnvironment ? fromEnvironment
            : DEFAULT_KEY;
    }

    /// <summary>Whether a file exists and does not begin like an SQLite database. Reads 16 bytes.</summary>
    /// <param name="databasePath">The file.</param>
    /// <returns>True also for a file of fewer bytes, even none.</returns>
    public static bool IsDatabaseEncrypted(string databasePath) => EncryptedDatabase.IsEncrypted(databasePath);

    /// <summary>Replaces an encrypted file by its decrypted content and keeps the original beside it with the extension .bak.</summary>
    /// <param name="databasePath">The file; nothing happens if it is not encrypted.</param>
    /// <param name="password">Its password.</param>
    /// <exception cref="EndOfStreamException">The file is too short to be a database.</exception>
    /// <exception cref="Exception">The password is wrong, or the decrypted header is impossible. The original is untouched.</exception>
    public static void DecryptSQLiteFile(string databasePath, string password) => EncryptedDatabase.Decrypt(databasePath, password);
}
