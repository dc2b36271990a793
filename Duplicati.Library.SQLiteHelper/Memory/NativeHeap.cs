// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Runtime.InteropServices;

namespace Duplicati.Library.SQLiteHelper.Memory;

/// <summary>
/// The memory that the engine, the runtime and the compressor ask the C library for. glibc has a heap for each of several threads and
/// keeps in all of them what was freed, on a long run several times what is in use.
/// </summary>
/// <remarks>
/// Concerns the whole process. From any thread. Nothing happens where the C library is not glibc. Source: mallopt(3), malloc_trim(3).
/// </remarks>
internal static unsafe class NativeHeap
{
    private const string GnuLibrary = "libc.so.6";
    private const int TrimThreshold = -1;
    private const int MapThreshold = -3;
    private const int MostArenas = -8;
    private const int LargeBytes = 1 << 20;

    /// <summary>
    /// From now on no thread gets a heap of its own beside those there are, and memory freed at the end of one goes back to the system
    /// from 1 MiB on. Threads then wait for one another while they allocate. For good; best called before there are many threads.
    /// </summary>
    /// <returns>False if nothing has changed.</returns>
    public static bool KeepLittle()
    {
        var function = Function("mallopt");
        if (function == 0)
            return false;

        var set = (delegate* unmanaged[Cdecl]<int, int, int>)function;
        return set(MostArenas, 1) != 0 && set(MapThreshold, LargeBytes) != 0 && set(TrimThreshold, LargeBytes) != 0;
    }

    /// <summary>
    /// Gives all free pages back to the system. Takes about a millisecond for a few tens of megabytes, in which other threads cannot
    /// allocate.
    /// </summary>
    /// <returns>False if there was nothing to give back.</returns>
    public static bool GiveBack()
    {
        var function = Function("malloc_trim");
        return function != 0 && ((delegate* unmanaged[Cdecl]<nuint, int>)function)(0) != 0;
    }

    // The process itself needs the library, so that one more reference keeps nothing.
    private static nint Function(string name) =>
        NativeLibrary.TryLoad(GnuLibrary, out var library) && NativeLibrary.TryGetExport(library, name, out var function) ? function : 0;
}
