// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Text;
using System.Globalization;
using System.Text;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Access;

/// <summary>
/// The settings in table Configuration, each compared with what the other tables say of the volumes: what is made with another setting
/// cannot be read together with them. What Duplicati does not write in every release may be missing.
/// </summary>
internal sealed class StoredSettings
{
    // The statements. Each reads a few rows.
    /// <summary>The whole table, some ten rows.</summary>
    private const string SETTINGS = """SELECT "Key", "Value" FROM "Configuration" """;

    /// <summary>The first rows of the table.</summary>
    private const string VOLUMES = """SELECT "Name" FROM "Remotevolume" LIMIT $limit""";

    /// <summary>The first rows of the table.</summary>
    private const string BLOCK_HASHES = """SELECT "Hash" FROM "Block" LIMIT $limit""";

    /// <summary>The first rows of the table.</summary>
    private const string FILE_HASHES = """SELECT "FullHash" FROM "Blockset" LIMIT $limit""";

    /// <summary>First blocks of contents that have a second one, by nnc_BlocksetEntry, the primary key and the row id.</summary>
    private const string FULL_BLOCKS = """
        SELECT "Block"."Size" FROM "BlocksetEntry" AS "Second"
        CROSS JOIN "BlocksetEntry" AS "First" ON "First"."BlocksetID" = "Second"."BlocksetID" AND "First"."Index" = 0
        CROSS JOIN "Block" ON "Block"."ID" = "First"."BlockID"
        WHERE "Second"."Index" = 1 LIMIT $limit
        """;

    private const int Samples = 64;
    private const int FewestHashBytes = 16;

    private readonly Dictionary<string, string> m_stored = new(StringComparer.Ordinal);
    private readonly List<string> m_problems = [];
    private readonly SqliteConnection m_connection;

    private StoredSettings(SqliteConnection connection)
    {
        m_connection = connection;
        foreach (var (key, value) in Read(SETTINGS, row => (row.GetString(0), row.TextOrNull(1))))
        {
            if (value is not null)
                m_stored[key] = value;
        }
    }

    /// <summary>What is wrong, a text for each setting; empty for a database that knows no volumes, unless a setting is none.</summary>
    /// <param name="connection">An open database of any version.</param>
    /// <param name="forReading">Leave out what only matters to who writes volumes.</param>
    internal static IReadOnlyList<string> Problems(SqliteConnection connection, bool forReading = false)
    {
        var settings = new StoredSettings(connection);
        settings.Compare(forReading);
        return settings.m_problems;
    }

    /// <summary>Whether the tables alone tell the size of blocks, as a content of several blocks does.</summary>
    internal static bool TellBlockSize(SqliteConnection connection) =>
        DumpQuery.Rows(connection, FULL_BLOCKS, row => row.NumberOrNull(0), ("$limit", 1)).Any();

    /// <summary>First part of the names of volumes; null if none is known.</summary>
    internal static string? PrefixOf(SqliteConnection connection) => PrefixesOf(connection) is [var first, ..] ? first : null;

    /// <summary>The same of a file; null if it cannot be read, or is not there.</summary>
    internal static string? PrefixOf(string path)
    {
        try
        {
            DatabaseFile.RequireExists(path);
            using var reading = new ReadingConnection(path);
            return PrefixOf(reading.Connection);
        }
        catch (Exception ex) when (ex is UserInformationException or SqliteException or IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>The prefixes in the names of volumes, that of most of them first; where no name is known, the one that is stored.</summary>
    internal static IReadOnlyList<string> PrefixesOf(SqliteConnection connection)
    {
        var settings = new StoredSettings(connection);
        List<string> named = [.. settings.Volumes().GroupBy(x => x.Prefix).OrderByDescending(x => x.Count()).Select(x => x.Key)];
        return named.Count == 0 && settings.m_stored.TryGetValue("prefix", out var stored) ? [stored] : named;
    }

    /// <summary>Fails if a setting is wrong.</summary>
    /// <exception cref="DamagedSettingException">The first one.</exception>
    internal static void Require(SqliteConnection connection, string path, bool forReading)
    {
        if (Problems(connection, forReading) is [var problem, ..])
            throw new DamagedSettingException(path, problem);
    }

    private void Compare(bool forReading)
    {
        var volumes = Volumes();
        var isUsed = Read(VOLUMES, row => 0).Count > 0;
        CompareSize(
            "blocksize",
            SettingsStore.SmallestBlock,
            SettingsStore.LargestBlock,
            isUsed,
            Read(FULL_BLOCKS, row => row.NumberOrNull(0))
        );
        CompareHash("blockhash", isUsed, "blocks", Read(BLOCK_HASHES, row => row.TextOrNull(0)));
        CompareHash("filehash", isUsed, "files", Read(FILE_HASHES, row => row.TextOrNull(0)));
        ComparePrefix(volumes);
        CompareEncryption(volumes);
        CompareModule("compression-module", VolumeName.Modules, volumes.ConvertAll(x => (string?)x.Compression));
        CompareModule("encryption-module", [VolumeName.AES], volumes.ConvertAll(x => x.Encryption));
        if (forReading)
            return;
        CompareSize("dblock-size", VolumeFormat.MIN_VOLUME_SIZE, long.MaxValue, isRequired: false, []);
        ComparePassphrase();
    }

    private List<VolumeName> Volumes() => [.. Read(VOLUMES, row => VolumeName.Parse(row.TextOrNull(0))).OfType<VolumeName>()];

    private void CompareSize(string key, long least, long most, bool isRequired, List<long?> found)
    {
        if (!m_stored.TryGetValue(key, out var text))
            Missing(key, isRequired);
        else if (!long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var size) || size < least || size > most)
            Add($"{key} is \"{text}\", which is no possible number of bytes");
        else if (found.Count > 0 && !found.Contains(size))
            Add($"{key} is {size}, but blocks have {found[0]} bytes");
    }

    private void CompareHash(string key, bool isRequired, string what, List<string?> found)
    {
        if (!m_stored.TryGetValue(key, out var text))
            Missing(key, isRequired);
        else if (VolumeHash.Find(text) is not { } hash)
            Add($"{key} is \"{text}\", which is no hash function that is known");
        else if (found.ConvertAll(Bytes).FindAll(x => x > 0) is { Count: > 0 } sizes && !sizes.Contains(hash.DigestSize))
            Add($"{key} is {text}, but the hashes of {what} have {sizes[0]} bytes");
    }

    private void ComparePrefix(List<VolumeName> volumes)
    {
        if (m_stored.TryGetValue("prefix", out var prefix) && volumes.Count > 0 && !volumes.Exists(x => x.Prefix == prefix))
            Add($"prefix is \"{prefix}\", but names of volumes begin with {volumes[0].Prefix}");
    }

    private void CompareEncryption(List<VolumeName> volumes)
    {
        if (volumes.Count == 0)
            return;
        var isEncrypted = SettingsStore.IsEncrypted(m_stored);
        if (volumes.TrueForAll(x => x.Encryption is null == isEncrypted))
            Add(
                isEncrypted
                    ? "the passphrase or encryption-module says that the backup is encrypted, but the volumes are not"
                    : "the volumes are encrypted, but neither the passphrase nor encryption-module says so"
            );
    }

    // Volumes of another module are no damage; they cannot be read.
    private void CompareModule(string key, IReadOnlyList<string> known, List<string?> found)
    {
        if (
            m_stored.TryGetValue(key, out var module)
            && !known.Contains(module, StringComparer.OrdinalIgnoreCase)
            && found.Count > 0
            && found.TrueForAll(x => known.Contains(x))
        )
            Add($"{key} is \"{module}\", but the volumes end with .{found[0]}");
    }

    // How Duplicati makes the hash is its own affair, but it is one, and has its salt.
    private void ComparePassphrase()
    {
        if (!SettingsStore.IsEncrypted(m_stored))
            return;
        var hash = m_stored.GetValueOrDefault("passphrase");
        var salt = m_stored.GetValueOrDefault("passphrase-salt");
        if ((hash is null) != (salt is null))
            Add(hash is null ? "passphrase is missing beside passphrase-salt" : "passphrase-salt is missing beside passphrase");
        if (hash is not null && !IsHash(hash))
            Add("passphrase is no hash");
        if (salt is not null && !IsHash(salt[(salt.IndexOf(':', StringComparison.Ordinal) + 1)..]))
            Add("passphrase-salt is no salt");
    }

    private void Missing(string key, bool isRequired)
    {
        if (isRequired)
            Add($"{key} is missing");
    }

    private void Add(string problem) => m_problems.Add($"its setting {problem}");

    // Other tables may be damaged, or of a version that has others; who reads them says so.
    private List<T> Read<T>(string sql, Func<SqliteDataReader, T> read)
    {
        try
        {
            return [.. DumpQuery.Rows(m_connection, sql, read, sql == SETTINGS ? [] : [("$limit", Samples)])];
        }
        catch (SqliteException)
        {
            return [];
        }
    }

    private static int Bytes(string? hash)
    {
        var bytes = new byte[VolumeHash.MAX_DIGEST_SIZE];
        return hash is not null && Convert.TryFromBase64String(hash, bytes, out var count) ? count : 0;
    }

    private static bool IsHash(string text) =>
        (text.Length >= 2 * FewestHashBytes && text.Length % 2 == 0 && text.All(char.IsAsciiHexDigit))
        || (Base64.IsValid(text, out var bytes) && bytes >= FewestHashBytes);
}
