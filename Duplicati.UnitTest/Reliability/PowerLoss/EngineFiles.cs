// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.UnitTest.Reliability.PowerLoss;

/// <summary>
/// Lets a <see cref="DiskRecorder"/> see what SQLite does to files: the calls of its file system layer that open, write, cut off, flush,
/// close and delete (https://www.sqlite.org/c3ref/vfs.html, https://www.sqlite.org/c3ref/io_methods.html) are noted and then done.
/// </summary>
/// <remarks>Stays in place until the process ends, since files may outlive a recorder; without one it does nothing.</remarks>
internal static unsafe class EngineFiles
{
    private const int OPEN_SLOT = 5;
    private const int DELETE_SLOT = 6;

    private const int CLOSE_SLOT = 1;
    private const int WRITE_SLOT = 3;
    private const int TRUNCATE_SLOT = 4;
    private const int SYNC_SLOT = 5;
    private const int METHODS = 19;

    private const int OPEN_DELETEONCLOSE = 0x8;
    private const int OPEN_JOURNALS = 0x800 | 0x4000 | 0x80000;

    private static readonly Lock s_lock = new();
    private static readonly Dictionary<nint, OpenFile> s_files = [];
    private static readonly Dictionary<nint, nint> s_tables = [];
    private static DiskRecorder? s_recorder;
    private static nint s_open;
    private static nint s_delete;

    /// <summary>From now on this one sees everything; null for none.</summary>
    internal static void Show(DiskRecorder? recorder)
    {
        lock (s_lock)
        {
            s_recorder = recorder;
            if (s_open != 0)
                return;
            var find = (delegate* unmanaged[Cdecl]<byte*, nint*>)NativeLibrary.GetExport(SqliteEngine.Library, "sqlite3_vfs_find");
            var layer = find(null);
            (s_open, s_delete) = (layer[OPEN_SLOT], layer[DELETE_SLOT]);
            layer[OPEN_SLOT] = (nint)(delegate* unmanaged[Cdecl]<nint, byte*, nint*, int, int*, int>)&Open;
            layer[DELETE_SLOT] = (nint)(delegate* unmanaged[Cdecl]<nint, byte*, int, int>)&Delete;
        }
    }

    /// <summary>What is noted is in the order in which it is done.</summary>
    internal static void Do(Action step)
    {
        lock (s_lock)
            step();
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int Open(nint layer, byte* name, nint* file, int flags, int* outFlags)
    {
        lock (s_lock)
        {
            var code = ((delegate* unmanaged[Cdecl]<nint, byte*, nint*, int, int*, int>)s_open)(layer, name, file, flags, outFlags);
            if (
                code != 0
                || name is null
                || (flags & OPEN_DELETEONCLOSE) != 0
                || s_recorder is not { } recorder
                || recorder.Opened(Marshal.PtrToStringUTF8((nint)name)!) is not { } number
            )
                return code;
            s_files[(nint)file] = new OpenFile(recorder, number, *file) { NamesUnflushed = (flags & OPEN_JOURNALS) != 0 };
            *file = TableOf(*file);
            return code;
        }
    }

    private static nint TableOf(nint original)
    {
        if (s_tables.TryGetValue(original, out var table))
            return table;
        table = Marshal.AllocHGlobal(METHODS * sizeof(nint));
        Unsafe.CopyBlock((void*)table, (void*)original, METHODS * (uint)sizeof(nint));
        var slots = (nint*)table;
        slots[CLOSE_SLOT] = (nint)(delegate* unmanaged[Cdecl]<nint, int>)&Close;
        slots[WRITE_SLOT] = (nint)(delegate* unmanaged[Cdecl]<nint, byte*, int, long, int>)&Write;
        slots[TRUNCATE_SLOT] = (nint)(delegate* unmanaged[Cdecl]<nint, long, int>)&Truncate;
        slots[SYNC_SLOT] = (nint)(delegate* unmanaged[Cdecl]<nint, int, int>)&Sync;
        s_tables.Add(original, table);
        return table;
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int Delete(nint layer, byte* name, int syncFolder)
    {
        lock (s_lock)
        {
            var code = ((delegate* unmanaged[Cdecl]<nint, byte*, int, int>)s_delete)(layer, name, syncFolder);
            if (code == 0 && s_recorder is { } recorder && recorder.Removed(Marshal.PtrToStringUTF8((nint)name)!) && syncFolder != 0)
                recorder.FolderFlushed();
            return code;
        }
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int Close(nint file)
    {
        lock (s_lock)
        {
            s_files.Remove(file, out var open);
            return ((delegate* unmanaged[Cdecl]<nint, int>)open!.Method(CLOSE_SLOT))(file);
        }
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int Write(nint file, byte* data, int length, long offset)
    {
        lock (s_lock)
        {
            var open = s_files[file];
            if (open.Recorder.Fault?.Invoke() is > 0 and var fault)
                return fault;
            var code = ((delegate* unmanaged[Cdecl]<nint, byte*, int, long, int>)open.Method(WRITE_SLOT))(file, data, length, offset);
            if (code == 0)
                open.Recorder.Written(open.Number, offset, new ReadOnlySpan<byte>(data, length).ToArray());
            return code;
        }
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int Truncate(nint file, long length)
    {
        lock (s_lock)
        {
            var open = s_files[file];
            if (open.Recorder.Fault?.Invoke() is > 0 and var fault)
                return fault;
            var code = ((delegate* unmanaged[Cdecl]<nint, long, int>)open.Method(TRUNCATE_SLOT))(file, length);
            if (code == 0)
                open.Recorder.Truncated(open.Number, length);
            return code;
        }
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int Sync(nint file, int flags)
    {
        lock (s_lock)
        {
            var open = s_files[file];
            var code = ((delegate* unmanaged[Cdecl]<nint, int, int>)open.Method(SYNC_SLOT))(file, flags);
            if (code != 0)
                return code;
            open.Recorder.Flushed(open.Number);

            // The first flush of a journal or log flushes the names, too; only on Unix, where names need it.
            if (open.NamesUnflushed)
                open.Recorder.FolderFlushed();
            open.NamesUnflushed = false;
            return code;
        }
    }

    private sealed class OpenFile(DiskRecorder recorder, int number, nint table)
    {
        internal DiskRecorder Recorder => recorder;

        internal int Number => number;

        internal bool NamesUnflushed { get; set; }

        internal nint Method(int slot) => ((nint*)table)[slot];
    }
}
