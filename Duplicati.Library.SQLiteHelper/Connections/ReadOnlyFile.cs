// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Buffers.Binary;
using System.IO;
using System.Linq;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>
/// A database file that is read so that nothing changes: no byte, time or mode of it or of the files beside it, no new file in its
/// folder. Works in a folder that cannot be written to, and for who may only read the file.
/// </summary>
/// <remarks>
/// Even a read-only connection makes a log and its index where a database in WAL mode has none, and rebuilds the index that a killed
/// process left. So the way to read is chosen by what lies beside the file; see <see cref="ReadingWay"/>. Those without locks are right as
/// long as the file itself stays as it is, which <see cref="HasChanged"/> tells afterwards. Stateless but for a private copy; may be used
/// from any thread.
/// </remarks>
internal sealed class ReadOnlyFile : IDisposable
{
    // https://www.sqlite.org/fileformat2.html#walformat
    private const int LOG_HEADER = 32;
    private const uint LOG_MAGIC = 0x377f0682;

    // Each that fails is one that somebody else has removed at that moment.
    private const int MOST_ATTEMPTS = 100;

    private static readonly string[] Besides = ["", "-wal", "-journal"];

    private readonly string m_given;
    private readonly string m_file;
    private readonly DirectoryInfo? m_copyFolder;
    private FileStream? m_copyMark;
    private readonly (DateTime, long) m_before;
    private readonly ((DateTime, long), (DateTime, long)) m_logBefore;

    private ReadOnlyFile(string given, ReadingWay? way)
    {
        m_given = Path.GetFullPath(given);
        m_file = File.ResolveLinkTarget(m_given, returnFinalTarget: true)?.FullName ?? m_given;
        m_before = State();
        m_logBefore = LogState();
        Way = way ?? Choose();
        if (Way == ReadingWay.Copy)
            m_copyFolder = CopyFiles();
    }

    /// <summary>How it is read.</summary>
    public ReadingWay Way { get; }

    /// <summary>When it was changed last (UTC), before it was looked at.</summary>
    public DateTime LastChange => m_before.Item1;

    /// <summary>Looks at a file and chooses the way that leaves everything as it is. Copies the file if there is no other.</summary>
    /// <exception cref="IOException">The file does not exist or cannot be read, or there is no space for the copy.</exception>
    public static ReadOnlyFile Look(string path) => new(path, null);

    /// <summary>A file that other processes are writing to: read as SQLite does it, beside them.</summary>
    /// <exception cref="IOException">The file does not exist.</exception>
    public static ReadOnlyFile BesideWriters(string path) => new(path, ReadingWay.Shared);

    /// <summary>What the current call chain reads a file as, see <see cref="Use"/>; null outside of that, and for other files.</summary>
    public static ReadOnlyFile? InUse(string path) => ConnectionOptions.Current.ReadingOf(path);

    /// <summary>
    /// Opens every connection of the current call chain to this file in this way until the returned scope is disposed, with what the preset
    /// says of memory and the busy timeout. A local database that is opened so is neither upgraded nor completed, and has no row of its
    /// operation.
    /// </summary>
    /// <exception cref="ArgumentException">There is no such preset.</exception>
    public IDisposable Use(string preset) => ConnectionPreset.Find(preset).ToOptions().Reading(this).Use();

    /// <summary>A connection of its own.</summary>
    /// <exception cref="SqliteException">The file cannot be opened. What it is shows only when it is read.</exception>
    public SqliteConnection Open()
    {
        var connection = ConnectionOpener.Create();
        try
        {
            Open(connection);
            PragmaApplier.Apply(connection, ConnectionOptions.Current.Pragmas.Where(pragma => pragma.Name == PragmaCatalogue.BusyTimeout));
            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Whether somebody has changed the file since it was looked at, so that what was read without locks may be wrong, and errors may have
    /// come of that. Never true if it is read with locks. What is added to a log counts where it is read without: somebody who began to
    /// write may have changed by now what the answer was compared with. A log that was to be read and is gone does, too: its last user has
    /// closed it, possibly before it could be opened here.
    /// </summary>
    public bool HasChanged() =>
        Way != ReadingWay.Shared && (State() != m_before || IsLogGone() || (Way != ReadingWay.Log && LogState() != m_logBefore));

    /// <summary>Whether the log that was to be read is not there any more, so that looking again shows how to read the file now.</summary>
    public bool IsLogGone() => Way == ReadingWay.Log && !(HasLog() && HasLogIndex());

    /// <summary>
    /// Whether an error may be that of a log that came or went while it was being opened: it is gone, or its index is not there yet and
    /// may not be made by who only reads, or does not fit it.
    /// </summary>
    public bool HasLostLog(Exception exception)
    {
        var cause = exception;
        while (cause is not null and not SqliteException)
            cause = cause.InnerException;
        return Way == ReadingWay.Log
            && cause is SqliteException { SqliteErrorCode: ResultCode.CannotOpen or ResultCode.ReadOnly or ResultCode.Protocol };
    }

    /// <summary>Removes the private copy. Connections must be closed before.</summary>
    public void Dispose()
    {
        if (m_copyFolder is not null)
            Remove(m_copyFolder);
    }

    internal bool IsAt(string path) => string.Equals(Path.GetFullPath(path), m_given, StringComparison.Ordinal);

    internal void Open(SqliteConnection connection)
    {
        connection.ConnectionString = new SqliteConnectionStringBuilder
        {
            DataSource = DataSource(),
            Mode = SqliteOpenMode.ReadOnly,
            Pooling = false,
        }.ConnectionString;
        connection.Open();
    }

    private string DataSource() =>
        Way switch
        {
            ReadingWay.Alone => Address(m_file) + "?immutable=1",
            ReadingWay.Log => Address(m_file) + "?readonly_shm=1",
            ReadingWay.Copy => Path.Combine(m_copyFolder!.FullName, Path.GetFileName(m_file)),
            _ => m_file,
        };

    private ReadingWay Choose()
    {
        if (LengthOf("-journal") > 0)
            return ReadingWay.Copy;
        if (!HasLog() || IsLogVoid())
            return ReadingWay.Alone;
        if (HasLogIndex())
            return ReadingWay.Log;
        return LengthOf("-wal") > 0 ? ReadingWay.Copy : ReadingWay.Alone;
    }

    private bool HasLog() => LengthOf("-wal") >= 0;

    private bool HasLogIndex() => File.Exists(m_file + "-shm");

    // A process killed after the first bytes of a log leaves a header and nothing else. SQLite reads no header without frames, nor one
    // that is none; beside the index that was left it then waits ten seconds for both to agree, and fails ("locking protocol"). Nobody
    // locks bytes of the log itself, so closing it drops no lock.
    private bool IsLogVoid()
    {
        Span<byte> header = stackalloc byte[LOG_HEADER];
        try
        {
            using var log = new FileStream(
                m_file + "-wal",
                FileMode.Open,
                FileAccess.Read,
                FileShare.ReadWrite | FileShare.Delete,
                bufferSize: 0
            );
            if (log.Length < LOG_HEADER)
                return false;
            if (log.Length == LOG_HEADER)
                return true;
            log.ReadExactly(header);
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            // It went away, was cut, or may not be read: who opens it finds that.
            return false;
        }

        return (BinaryPrimitives.ReadUInt32BigEndian(header) & ~1u) != LOG_MAGIC;
    }

    private long LengthOf(string beside) => new FileInfo(m_file + beside) is { Exists: true } file ? file.Length : -1;

    private (DateTime, long) State() =>
        new FileInfo(m_file) is var file && file.Exists
            ? (file.LastWriteTimeUtc, file.Length)
            : throw new FileNotFoundException($"The file {m_given} does not exist.", m_given);

    // Who reads the file without its log, or a copy of both, sees nothing of what others write to a log, and the file may long stay as it
    // is.
    private ((DateTime, long), (DateTime, long)) LogState()
    {
        return (Of("-wal"), Of("-journal"));

        // An empty one is made by whoever only reads.
        (DateTime, long) Of(string beside) =>
            new FileInfo(m_file + beside) is { Exists: true, Length: > 0 } file ? (file.LastWriteTimeUtc, file.Length) : default;
    }

    // Together with what lies beside it, which SQLite then takes over or takes back in the copy.
    private DirectoryInfo CopyFiles()
    {
        (var folder, m_copyMark) = MakeCopyFolder();
        try
        {
            foreach (var file in Besides.Select(beside => m_file + beside).Where(File.Exists))
            {
                var copy = Path.Combine(folder.FullName, Path.GetFileName(file));
#pragma warning disable RS0030 // Without an index of the log nobody has the log open; who has a journal open is found by HasChanged.
                File.Copy(file, copy);
#pragma warning restore RS0030
                File.SetAttributes(copy, FileAttributes.Normal);
            }

            Settle(Path.Combine(folder.FullName, Path.GetFileName(m_file)));
            return folder;
        }
        catch
        {
            Remove(folder);
            throw;
        }
    }

    /// <summary>
    /// Makes a folder and a file in it that is held until the end: whoever can take the file knows that its process was killed, and removes
    /// the folder. Somebody may come between the making and the holding; then there is another folder.
    /// </summary>
    /// <param name="step">Called when the folder is there, and when the file is.</param>
    internal static (DirectoryInfo Folder, FileStream Mark) MakeCopyFolder(Action<DirectoryInfo>? step = null)
    {
        for (var attempt = 1; ; attempt++)
        {
            var folder = Directory.CreateTempSubdirectory("duplicati-read-");
            var path = Path.Combine(folder.FullName, ".in-use");
            try
            {
                step?.Invoke(folder);
                var mark = new FileStream(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, bufferSize: 0);
                step?.Invoke(folder);
                if (File.Exists(path))
                    return (folder, mark);
                mark.Dispose();
            }
            catch (IOException) when (attempt < MOST_ATTEMPTS && (File.Exists(path) || !Directory.Exists(folder.FullName)))
            {
                // Somebody holds the file, and is removing it, or has removed the folder.
            }
            catch
            {
                folder.Delete(recursive: true);
                throw;
            }
        }
    }

    // The mark is held until the end: without it the next run of the tool may be removing the same folder.
    private void Remove(DirectoryInfo folder)
    {
        if (OperatingSystem.IsWindows())
            m_copyMark?.Dispose();
        try
        {
            folder.Delete(recursive: true);
        }
        catch (IOException)
        {
            // A file is open elsewhere. Whoever looks for leftovers removes it.
        }
        finally
        {
            m_copyMark?.Dispose();
        }
    }

    // A read-only connection does not take back what a journal says. What fails here fails again when it is read, and is told then.
    private static void Settle(string copy)
    {
        using var connection = ConnectionOpener.Create();
        connection.ConnectionString = new SqliteConnectionStringBuilder { DataSource = copy, Pooling = false }.ConnectionString;
        connection.Open();
        RawSql.Run(connection, PragmaSql.ReadSchema, out _);
    }

    // https://www.sqlite.org/uri.html: three characters have a meaning; a path of Windows begins with a slash, too.
    private static string Address(string path)
    {
        if (OperatingSystem.IsWindows())
            path = "/" + path.Replace('\\', '/');
        return "file:"
            + path.Replace("%", "%25", StringComparison.Ordinal)
                .Replace("?", "%3f", StringComparison.Ordinal)
                .Replace("#", "%23", StringComparison.Ordinal);
    }
}

/// <summary>How <see cref="ReadOnlyFile"/> reads a file.</summary>
internal enum ReadingWay
{
    /// <summary>As SQLite does it: with locks, and with a log and its index, which are made if there are none.</summary>
    Shared,

    /// <summary>There is no log: the file alone, without locks.</summary>
    Alone,

    /// <summary>
    /// There is a log with its index: these are only read. With locks as long as another process has them open; else the index is made anew
    /// in memory.
    /// </summary>
    Log,

    /// <summary>A log without its index, or a journal: a private copy of all, in a temporary folder.</summary>
    Copy,
}
