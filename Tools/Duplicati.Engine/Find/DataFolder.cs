// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Reports;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Find;

/// <summary>What Duplicati's data folder tells of local databases.</summary>
internal static class DataFolder
{
    /// <summary>The database of the server.</summary>
    internal const string SERVER = "Duplicati-server.sqlite";

    /// <summary>What the command line keeps.</summary>
    internal const string CONFIG = "dbconfig.json";

    /// <summary>Scans Backup, one row a backup of the server.</summary>
    internal const string BACKUPS = """SELECT "Name", "TargetURL", "DBPath" FROM "Backup" WHERE COALESCE("DBPath", '') <> ''""";

    // Some 50,000 remote folders.
    private const long MOST_CONFIG = 16 * 1024 * 1024;

    private const string HOME = "DUPLICATI_HOME";

    private static readonly EnumerationOptions s_below = new() { RecurseSubdirectories = true, IgnoreInaccessible = true };

    /// <summary>Where it is for this user.</summary>
    internal static string Default =>
        Environment.GetEnvironmentVariable(HOME) is { Length: > 0 } home
            ? home
            : Path.Combine(
                Environment.GetFolderPath(
                    OperatingSystem.IsWindows() ? Environment.SpecialFolder.LocalApplicationData : Environment.SpecialFolder.ApplicationData
                ),
                "Duplicati"
            );

    /// <summary>Databases that lie in it.</summary>
    internal static IEnumerable<NamedDatabase> Files(string folder) =>
        Directory
            .EnumerateFiles(folder, "*.sqlite", s_below)
            .Where(x => !UnixFile.IsSpecial(x, followsLinks: true))
            .Select(x => new NamedDatabase(Path.GetFullPath(x), null, null, DatabaseSource.Folder));

    /// <summary>Databases that the command line has made.</summary>
    /// <exception cref="JsonException">The file is damaged, or larger than any is.</exception>
    internal static List<NamedDatabase> OfCommandLine(string folder)
    {
        var file = Path.Combine(folder, CONFIG);
        if (!File.Exists(file) || UnixFile.IsSpecial(file, followsLinks: true))
            return [];
        if (new FileInfo(file).Length > MOST_CONFIG)
            throw new JsonException($"It is larger than {SizeText.Of(MOST_CONFIG)}.");
        using var entries = JsonDocument.Parse(File.ReadAllText(file));
        return entries.RootElement.ValueKind == JsonValueKind.Array
            ?
            [
                .. from entry in entries.RootElement.EnumerateArray()
                let path = Text(entry, "Databasepath")
                where path.Length > 0 && !path.Contains('\0', StringComparison.Ordinal)
                select new NamedDatabase(
                    Absolute(folder, path),
                    null,
                    Address(entry),
                    DatabaseSource.CommandLine,
                    Text(entry, "Prefix") is { Length: > 0 } prefix ? prefix : null
                ),
            ]
            : throw new JsonException("It holds no list.");
    }

    /// <summary>Databases of the backups of the server.</summary>
    internal static List<NamedDatabase> OfServer(SqliteConnection connection, string folder) =>
        [
            .. DumpQuery.Rows(
                connection,
                BACKUPS,
                row => new NamedDatabase(
                    Absolute(folder, row.GetString(2)),
                    row.TextOrNull(0),
                    WithoutSecrets(row.TextOrNull(1) ?? ""),
                    DatabaseSource.Server
                )
            ),
        ];

    /// <summary>
    /// An address without options, which may hold passwords, and without user and password before the host. Null if it is none: encrypted
    /// ones have no scheme.
    /// </summary>
    internal static string? WithoutSecrets(string address)
    {
        var scheme = address.IndexOf("://", StringComparison.Ordinal);
        if (scheme <= 0)
            return null;
        var (begin, rest) = (address[..(scheme + 3)], address[(scheme + 3)..].Split('?')[0]);
        // In a password there may be anything; in a path of this machine there is none.
        return begin.StartsWith("file:", StringComparison.OrdinalIgnoreCase) ? begin + rest : begin + rest[(rest.LastIndexOf('@') + 1)..];
    }

    private static string? Address(JsonElement entry)
    {
        var (type, server, path) = (Text(entry, "Type"), Text(entry, "Server"), Text(entry, "Path"));
        return type.Length == 0
            ? null
            : WithoutSecrets($"{type}://{server}{(server.Length == 0 || path.Length == 0 || path.StartsWith('/') ? "" : "/")}{path}");
    }

    private static string Text(JsonElement entry, string name) =>
        entry.ValueKind != JsonValueKind.Object
            ? ""
            : entry
                .EnumerateObject()
                .Where(x => x.Name.Equals(name, StringComparison.OrdinalIgnoreCase) && x.Value.ValueKind == JsonValueKind.String)
                .Select(x => x.Value.GetString()!)
                .FirstOrDefault("");

    private static string Absolute(string folder, string path) => Path.GetFullPath(path, Path.GetFullPath(folder));
}

/// <summary>A database that something names.</summary>
/// <param name="Path">Where it should be.</param>
/// <param name="Name">The name of the backup; null if it is not told.</param>
/// <param name="Remote">The address of the remote folder; null if it is not told.</param>
/// <param name="Source">What names it.</param>
/// <param name="Prefix">First part of the volume names; null if it is not told.</param>
internal sealed record NamedDatabase(string Path, string? Name, string? Remote, DatabaseSource Source, string? Prefix = null);
