#nullable enable

using System.Runtime.InteropServices;

namespace Duplicati.Library.SQLiteHelper.Memory;

/// <summary>The memory that the engine and the compressor ask the C library for.</summary>
public static class NativeHeap
{
    private const string GnuLibrary = "libc.so.6";
    private const int TrimThreshold = -1;
    private const int MapThreshold = -3;
    private const int MostArenas = -8;
    private const int LargeBytes = 1 << 20;

    /// <summary>
    /// Lets the C library keep little that is free: one heap for all threads that are still to come, where each of them would keep what
    /// it has freed for itself, and from 1 MiB on free memory goes back to the system at once. Threads then wait for one another while
    /// they allocate. For the whole process and for good; to be called before there are many threads. From any thread.
    /// </summary>
    /// <returns>False where the C library is not glibc: others have no such settings, and nothing has happened.</returns>
    /// <remarks>Source: mallopt(3).</remarks>
    public static unsafe bool KeepLittle()
    {
        if (!NativeLibrary.TryLoad(GnuLibrary, out var library) || !NativeLibrary.TryGetExport(library, "mallopt", out var function))
            return false;

        // The library stays loaded: the process itself needs it.
        var set = (delegate* unmanaged[Cdecl]<int, int, int>)function;
        return set(MostArenas, 1) != 0 && set(MapThreshold, LargeBytes) != 0 && set(TrimThreshold, LargeBytes) != 0;
    }
}
