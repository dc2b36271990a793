// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Engine.Access;
using Duplicati.Engine.Check;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Find;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.SQLiteHelper.Connections;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Operations;

/// <summary>Finds the local databases of Duplicati, and tells what each is. Changes nothing; what is encrypted stays unread.</summary>
/// <param name="folder">The data folder; null for that of this user.</param>
public sealed class DatabasesOperation(string? folder)
{
    /// <summary>Scans Fileset, one row a version.</summary>
    internal const string VERSIONS = """SELECT COUNT(*), MAX("Timestamp") FROM "Fileset" """;

    private readonly string m_folder = Path.GetFullPath(folder ?? DataFolder.Default);

    /// <summary>Looks for databases. One that cannot be read does not stop it.</summary>
    /// <exception cref="UserInformationException">Help id <c>FolderMissing</c>.</exception>
    public async Task<DatabasesReport> RunAsync(CancellationToken token)
    {
        if (!Directory.Exists(m_folder))
            throw new RemoteFolderMissingException(m_folder);
        var problems = new List<string>();
        List<NamedDatabase> named =
        [
            .. await OfServerAsync(problems, token).ConfigureAwait(false),
            .. OfCommandLine(problems),
            .. DataFolder.Files(m_folder),
        ];
        var found = new List<FoundDatabase>();
        foreach (var one in named.GroupBy(x => x.Path, StringComparer.Ordinal).OrderBy(x => x.Key, StringComparer.Ordinal))
        {
            var database = await LookAsync(one.Key, token).ConfigureAwait(false);
            found.Add(
                database with
                {
                    Name = one.Select(x => x.Name).FirstOrDefault(x => x is not null),
                    Remote = one.Select(x => x.Remote).FirstOrDefault(x => x is not null),
                    KnownBy = [.. one.Select(x => x.Source).Distinct()],
                }
            );
        }

        return new DatabasesReport(m_folder, found, problems);
    }

    /// <summary>Databases that the server or the command line name for a folder of this machine, and what names each. Opens none.</summary>
    /// <param name="remote">The address of the folder; for one of another kind nothing is found.</param>
    /// <param name="prefix">First part of the volume names; where none is told it is <c>duplicati</c>.</param>
    /// <param name="token">Cancels.</param>
    internal async Task<IReadOnlyList<(string Path, IReadOnlyList<DatabaseSource> KnownBy)>> OfRemoteAsync(
        string remote,
        string prefix,
        CancellationToken token
    )
    {
        if (PlaceOf(remote) is not { } place)
            return [];
        var ignored = new List<string>();
        List<NamedDatabase> named = [.. await OfServerAsync(ignored, token).ConfigureAwait(false), .. OfCommandLine(ignored)];
        var comparison = OperatingSystem.IsWindows() ? StringComparison.OrdinalIgnoreCase : StringComparison.Ordinal;
        return
        [
            .. named
                .Where(x => x.Remote is { } address && IsWhole(address) && string.Equals(PlaceOf(address), place, comparison))
                .Where(x => (x.Prefix ?? VolumeName.DEFAULT_PREFIX) == prefix)
                .GroupBy(x => x.Path, StringComparer.Ordinal)
                .OrderBy(x => x.Key, StringComparer.Ordinal)
                .Select(x => (x.Key, (IReadOnlyList<DatabaseSource>)[.. x.Select(y => y.Source).Distinct()])),
        ];
    }

    // A stored path that is not whole belongs to a folder that nobody knows.
    private static bool IsWhole(string address) => Path.IsPathRooted(address[(address.IndexOf("://", StringComparison.Ordinal) + 3)..]);

    private static string? PlaceOf(string address)
    {
        try
        {
            return LocalFolder.PathOf(new EngineOptions { Remote = address, DatabasePath = "" }) is { } path
                ? Path.TrimEndingDirectorySeparator(path)
                : null;
        }
        catch (ArgumentException)
        {
            return null;
        }
    }

    private async Task<List<NamedDatabase>> OfServerAsync(List<string> problems, CancellationToken token)
    {
        var server = Path.Combine(m_folder, DataFolder.SERVER);
        if (!File.Exists(server))
            return [];
        try
        {
            return await ReadAsync(server, connection => DataFolder.OfServer(connection, m_folder), token).ConfigureAwait(false);
        }
        catch (Exception ex) when (IsOfTheFile(ex))
        {
            problems.Add($"The server's database {server} cannot be read: {ex.Message}");
            return [];
        }
    }

    private List<NamedDatabase> OfCommandLine(List<string> problems)
    {
        try
        {
            return DataFolder.OfCommandLine(m_folder);
        }
        catch (Exception ex) when (ex is JsonException || IsOfTheFile(ex))
        {
            problems.Add($"The file {Path.Combine(m_folder, DataFolder.CONFIG)} cannot be read: {ex.Message}");
            return [];
        }
    }

    private static async Task<FoundDatabase> LookAsync(string path, CancellationToken token)
    {
        var database = new FoundDatabase(path, DatabaseKind.Unknown, null, null, [], 0, null, null, null, [], null);
        if (!File.Exists(RealPath.Of(path)))
            return database with { Problem = "It is not there." };
        database = database with { Size = DatabaseFile.Length(path) + DatabaseFile.Length(path, "-wal") };
        try
        {
            return await ReadAsync(path, connection => Look(database, connection), token).ConfigureAwait(false);
        }
        catch (Exception ex) when (IsOfTheFile(ex))
        {
            return database with { Problem = ex.Message };
        }
    }

    private static FoundDatabase Look(FoundDatabase database, SqliteConnection connection)
    {
        if (DumpQuery.HasColumn(connection, "Backup", "ID") && DumpQuery.HasColumn(connection, "Schedule", "ID"))
            return database with { Kind = DatabaseKind.Server, Schema = Version(connection) };
        if (!DumpQuery.HasColumn(connection, "Remotevolume", "Name"))
            return DumpQuery.HasColumn(connection, "RemoteInventory", "ID")
                ? database with
                {
                    Kind = DatabaseKind.Sync,
                    Schema = Version(connection),
                }
                : database with
                {
                    Problem = "It is no database of Duplicati.",
                };

        database = database with { Kind = DatabaseKind.Backup };
        if (SchemaState.Find(connection, database.Path) is { } problem)
            return database with { Problem = $"{problem.What}. {problem.Remedy}" };
        using var reader = new DatabaseDumpReader(database.Path);
        var (versions, last) = DumpQuery.Rows(connection, VERSIONS, row => (row.GetInt64(0), row.NumberOrNull(1))).Single();
        return database with
        {
            Schema = reader.SchemaVersion,
            Versions = versions,
            LastVersion = last is { } time ? DumpQuery.Time(time) : null,
            State = [.. State(reader)],
        };
    }

    private static IEnumerable<string> State(DatabaseDumpReader reader)
    {
        if (reader.Configuration.ContainsKey(RecreateMark.Key))
            yield return RecreateMark.Key;
        foreach (var flag in InspectOperation.Flags(reader))
            yield return flag;
        if (reader.LeftOut is { } leftOut)
            yield return leftOut.IsBeingFilled ? "being-filled" : "missing-indexes";
    }

    private static long Version(SqliteConnection connection) =>
        DumpQuery.HasColumn(connection, "Version", "Version")
            ? DumpQuery.Rows(connection, SchemaStateSql.VERSIONS, row => row.GetInt64(0)).DefaultIfEmpty(0).Max()
            : 0;

    private static bool IsOfTheFile(Exception failure) =>
        failure is SqliteException or UserInformationException or IOException or UnauthorizedAccessException or InvalidOperationException;

    private static Task<T> ReadAsync<T>(string path, Func<SqliteConnection, T> read, CancellationToken token) =>
        DatabaseReading.RunAsync(
            path,
            ConnectionPreset.Default.Name,
            file =>
            {
                using var reading = new ReadingConnection(file);
                return read(reading.Connection);
            },
            token,
            ReadingMode.AsItIs
        );
}
