// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
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
    /// <summary>Nobody else is writing, nor can be until the connection is closed.</summary>
    internal const string HOLD = "BEGIN IMMEDIATE";

    private const string TAKE = $"{HOLD}; ROLLBACK";

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
        var target = FreeName(path);
        Move(path, target);
        return target;
    }

    /// <summary>Removes a file with what belongs to it.</summary>
    internal static void Remove(string path)
    {
        foreach (var suffix in s_suffixes)
            DurableFiles.Standard.Delete(path + suffix);
    }

    /// <summary>
    /// What programs that were killed have left in the log goes into the file, which has none then. The log of a file that cannot be read
    /// stays where it is.
    /// </summary>
    /// <returns>Whether the file can be read.</returns>
    /// <exception cref="SqliteException">Somebody writes to it.</exception>
    /// <exception cref="UserInformationException">Help id <c>DatabaseIsBusy</c>: somebody uses it.</exception>
    internal static bool EmptyLog(string path)
    {
        try
        {
            using var connection = PlainConnection.Open(path, SqliteOpenMode.ReadWrite);
            DumpQuery.Execute(connection, TAKE);
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode is not (raw.SQLITE_BUSY or raw.SQLITE_LOCKED))
        {
            // Damaged, or no database: nobody can be using it.
            return false;
        }

        RequireNoLog(path);
        return true;
    }

    /// <summary>Whether a log, or what belongs to one, lies beside the file: somebody uses it, or was killed.</summary>
    internal static bool HasLog(string path) => s_suffixes.Skip(1).Any(x => File.Exists(path + x));

    /// <summary>Fails if a log is there although the last connection of this process has been closed.</summary>
    /// <exception cref="UserInformationException">Help id <c>DatabaseIsBusy</c>: somebody uses the database.</exception>
    internal static void RequireNoLog(string path)
    {
        if (HasLog(path))
            throw InUse(path);
    }

    /// <summary>What tells whether a file without a log is written to: whoever writes to it later changes it.</summary>
    internal static (long Length, DateTime Written) State(string path) =>
        File.Exists(path) ? (new FileInfo(path).Length, File.GetLastWriteTimeUtc(path)) : default;

    /// <summary>
    /// Puts a database in the place of another, which has no name any more then, or the first free one, so that it has one at every moment.
    /// The names are flushed.
    /// </summary>
    /// <param name="path">That of the old one.</param>
    /// <param name="made">That of the new one.</param>
    /// <param name="state">That of the old one after <see cref="EmptyLog"/>, and before anything was read of it.</param>
    /// <param name="keep">Whether the old one gets another name.</param>
    /// <returns>That name.</returns>
    /// <exception cref="SqliteException">Somebody writes to the old one.</exception>
    /// <exception cref="UserInformationException">Help id <c>DatabaseIsBusy</c>: somebody uses it, or has since, so that the new one may
    /// lack something. Nothing was done.</exception>
    internal static string? Replace(string path, string made, (long Length, DateTime Written) state, bool keep)
    {
        RequireUnchanged(path, state);
        var kept = keep ? FreeName(path) : null;
        if (kept is not null)
        {
            try
            {
                NameToo(path, kept, s_suffixes.Reverse());
                // Where a file has one name only it was copied, which may have taken long.
                RequireUnchanged(path, state);
            }
            catch
            {
                Remove(kept);
                throw;
            }
        }

        // The old log is gone for good before the new file has its name: a power loss could bring it back beside that.
        RemoveLog(path);
        FlushFolder(path);
        DurableFiles.Standard.Move(made, path, overwrite: true);
        FlushFolder(path);
        return kept;
    }

    // A program that knows no turns may have begun meanwhile: what it commits would be lost, and its log would be removed.
    private static void RequireUnchanged(string path, (long Length, DateTime Written) state)
    {
        EmptyLog(path);
        if (File.Exists(path) && State(path) != state)
            throw InUse(path);
    }

    private static UserInformationException InUse(string path) =>
        new($"The database {path} is in use by another program; try again when it has finished.", "DatabaseIsBusy");

    /// <summary>Makes the names in the folder of a database survive a power loss.</summary>
    internal static void FlushFolder(string path) => DurableFiles.Standard.FlushFolder(Path.GetDirectoryName(Path.GetFullPath(path))!);

    private static string FreeName(string path)
    {
        var target = path + ".backup";
        for (var i = 1; s_suffixes.Any(x => File.Exists(target + x)); i++)
            target = $"{path}.backup-{i}";
        return target;
    }

    /// <summary>Renames a file put aside back, if no new one has taken its place.</summary>
    internal static void PutBack(string aside, string path)
    {
        if (File.Exists(path))
            return;
        // It would be taken for the log of what comes.
        RemoveLog(path);
        Move(aside, path);
    }

    /// <summary>Copies a database as it is now, also one in use, without changing it.</summary>
    internal static void Copy(string path, string target)
    {
        // Nobody has it open in a log mode: opening it would leave an empty log behind.
        if (!HasLog(path))
        {
            File.Copy(path, target);
            return;
        }

        using var from = PlainConnection.Open(path, SqliteOpenMode.ReadOnly);
        from.CopyTo(target);
    }

    // The log has both names while the file changes its own, which so has its log at every moment. A kill leaves a log without a file: at
    // the place of the database whoever makes one removes it, and as another name is no longer free.
    private static void Move(string path, string target)
    {
        NameToo(path, target, s_suffixes.Skip(1));
        try
        {
            DurableFiles.Standard.Move(path, target, overwrite: false);
        }
        catch (IOException) when (File.Exists(target))
        {
            // Somebody has made it meanwhile, and it would be taken for the log of that.
            RemoveLog(target);
            throw;
        }

        FlushFolder(path);
        RemoveLog(path);
    }

    private static void NameToo(string path, string target, IEnumerable<string> suffixes)
    {
        foreach (var suffix in suffixes.Where(x => File.Exists(path + x)))
        {
            if (UnixFile.Link(path + suffix, target + suffix))
                continue;
            File.Copy(path + suffix, target + suffix);
            DurableFiles.Standard.FlushFile(target + suffix);
        }
    }

    private static void RemoveLog(string path)
    {
        foreach (var suffix in s_suffixes.Skip(1))
            DurableFiles.Standard.Delete(path + suffix);
    }

    private static bool IsDamage(SqliteException failure) => failure.SqliteErrorCode == raw.SQLITE_CORRUPT;
}
