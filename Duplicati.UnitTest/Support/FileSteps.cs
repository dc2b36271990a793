// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Files;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Support;

/// <summary>Notes what is done to files, and calls <paramref name="before"/> with what is about to be done, and to which one.</summary>
internal sealed class FileSteps(Action<string, string>? before = null) : DurableFiles, IDisposable
{
    internal const string Name = "a file gets its name";
    internal const string File = "a file is flushed";
    internal const string Folder = "a folder is flushed";
    internal const string Removal = "a file is removed";

    private readonly DurableFiles m_before = Standard;
    private readonly List<string> m_done = [];

    /// <summary>What was done, but for removals.</summary>
    internal IReadOnlyList<string> Done => m_done;

    /// <summary>Of a disk that refuses to flush a folder.</summary>
    internal static FileSteps RefusingFolders() =>
        new(
            (step, _) =>
            {
                if (step == Folder)
                    throw new IOException("Input/output error");
            }
        );

    /// <summary>All of this process from now on, until the end of this object.</summary>
    internal FileSteps OfAll()
    {
        Standard = this;
        return this;
    }

    public void Dispose() => Standard = m_before;

    public override void Move(string from, string to, bool overwrite)
    {
        Note(Name, to);
        base.Move(from, to, overwrite);
    }

    public override void Delete(string path)
    {
        if (System.IO.File.Exists(path))
            before?.Invoke(Removal, path);
        base.Delete(path);
    }

    public override void FlushFile(string path)
    {
        Note(File, path);
        base.FlushFile(path);
    }

    internal override void FlushStream(FileStream file)
    {
        Note(File, file.Name);
        base.FlushStream(file);
    }

    public override void FlushFolder(string path)
    {
        Note(Folder, path);
        base.FlushFolder(path);
    }

    private void Note(string step, string path)
    {
        m_done.Add(step);
        before?.Invoke(step, path);
    }
}

/// <summary>
/// Counts how often SQLite asks the operating system to flush a file of one connection. It replaces the flush method in the
/// file's method table (https://www.sqlite.org/c3ref/io_methods.html) by one that counts and then does the same.
/// </summary>
/// <remarks>One instance at a time; must be disposed before the connection.</remarks>
internal sealed unsafe class SyncCounter : IDisposable
{
    /// <summary>SQLITE_FCNTL_FILE_POINTER: the database file.</summary>
    public const int DatabaseFile = 7;

    /// <summary>SQLITE_FCNTL_JOURNAL_POINTER: the write-ahead log.</summary>
    public const int Journal = 28;

    private const int TableBytes = 256;
    private const int SyncSlot = 5;

    private static delegate* unmanaged[Cdecl]<nint, int, int> s_original;
    private static int s_count;

    private readonly nint* m_file;
    private readonly nint m_before;
    private readonly nint m_table;

    /// <param name="connection">An open connection; for the log, one that has already written.</param>
    /// <param name="which"><see cref="DatabaseFile"/> or <see cref="Journal"/>.</param>
    public SyncCounter(SqliteConnection connection, int which)
    {
        m_file = FileOf(connection, which);
        m_before = *m_file;
        m_table = Marshal.AllocHGlobal(TableBytes);

        // The table has 19 slots at most; a copy keeps the other connections of the process out of it.
        Unsafe.CopyBlock((void*)m_table, (void*)m_before, 19 * (uint)sizeof(nint));
        s_original = (delegate* unmanaged[Cdecl]<nint, int, int>)((nint*)m_before)[SyncSlot];
        ((nint*)m_table)[SyncSlot] = (nint)(delegate* unmanaged[Cdecl]<nint, int, int>)&CountAndSync;
        s_count = 0;
        *m_file = m_table;
    }

    /// <summary>Flushes since it was made.</summary>
    public int Count => Volatile.Read(ref s_count);

    public void Dispose()
    {
        *m_file = m_before;
        Marshal.FreeHGlobal(m_table);
    }

    private static nint* FileOf(SqliteConnection connection, int which)
    {
        var control = (delegate* unmanaged[Cdecl]<nint, byte*, int, void*, int>)
            NativeLibrary.GetExport(SqliteEngine.Library, "sqlite3_file_control");
        nint* file = null;
        var code = control(connection.Handle!.DangerousGetHandle(), null, which, &file);
        return code == 0 && file is not null ? file : throw new InvalidOperationException($"The file cannot be reached: error {code}.");
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int CountAndSync(nint file, int flags)
    {
        Interlocked.Increment(ref s_count);
        return s_original(file, flags);
    }
}
