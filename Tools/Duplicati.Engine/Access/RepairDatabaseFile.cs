// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Files;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Engine.Access;

/// <summary>
/// The database file of a repair: whether there is anything in it, putting it aside, and the copy that a dry run works on.
/// </summary>
internal static class RepairDatabaseFile
{
    private static readonly string[] s_suffixes = ["", "-wal", "-shm", "-journal"];

    /// <summary>Whether the database can be read and knows a volume.</summary>
    /// <exception cref="UserInformationException">It is no database of this kind, or of a newer release.</exception>
    internal static async Task<bool> IsUsableAsync(string path, CancellationToken token)
    {
        try
        {
            var database = await LocalRepairDatabase.CreateRepairDatabaseAsync(path, null, token).ConfigureAwait(false);
            await using var databaseScope = database.ConfigureAwait(false);
            return await database.GetRemoteVolumesAsync(token).AnyAsync(token).ConfigureAwait(false);
        }
        catch (SqliteException ex) when (IsDamage(ex))
        {
            return false;
        }
        catch (UserInformationException ex) when (ex.InnerException is SqliteException inner && IsDamage(inner))
        {
            return false;
        }
    }

    /// <summary>Renames the file, with what belongs to it, to the first free name.</summary>
    /// <returns>The new path.</returns>
    internal static string PutAside(string path)
    {
        var target = path + ".backup";
        for (var i = 1; File.Exists(target); i++)
            target = $"{path}.backup-{i}";
        Move(path, target);
        return target;
    }

    /// <summary>Renames a file put aside back, if no new one has taken its place.</summary>
    internal static void PutBack(string aside, string path)
    {
        if (!File.Exists(path))
            Move(aside, path);
    }

    /// <summary>Copies a database as it is now, also one in use, without changing it.</summary>
    internal static void Copy(string path, string target)
    {
        // Nobody has it open in a log mode: opening it would leave an empty log behind.
        if (!s_suffixes.Skip(1).Any(x => File.Exists(path + x)))
        {
            File.Copy(path, target);
            return;
        }

        using var from = new SqliteConnection(
            new SqliteConnectionStringBuilder
            {
                DataSource = path,
                Mode = SqliteOpenMode.ReadOnly,
                Pooling = false,
            }.ToString()
        );
        using var to = new SqliteConnection(new SqliteConnectionStringBuilder { DataSource = target, Pooling = false }.ToString());
        from.Open();
        to.Open();
        from.BackupDatabase(to);
    }

    private static void Move(string path, string target)
    {
        foreach (var suffix in s_suffixes.Where(x => File.Exists(path + x)))
            DurableFiles.Standard.Move(path + suffix, target + suffix, overwrite: false);
    }

    private static bool IsDamage(SqliteException failure) => failure.SqliteErrorCode == raw.SQLITE_CORRUPT;
}
