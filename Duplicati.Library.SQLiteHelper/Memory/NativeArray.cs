// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Runtime.InteropServices;

namespace Duplicati.Library.SQLiteHelper.Memory;

/// <summary>
/// Zeroed memory outside the garbage collector's heap. What is never touched costs address space only, and all of it is given back at
/// once by <see cref="Dispose"/>; neither is true of a large array.
/// </summary>
/// <remarks>
/// Not thread-safe. A span must not be used after <see cref="Dispose"/>; whoever uses one keeps this object alive until then
/// (<see cref="GC.KeepAlive"/>), because an array that nobody refers to any more is freed by its finalizer.
/// </remarks>
/// <typeparam name="T">The elements.</typeparam>
internal sealed unsafe class NativeArray<T> : IDisposable
    where T : unmanaged
{
    private T* m_start;

    /// <summary>Memory for a number of elements, all zero.</summary>
    /// <exception cref="OutOfMemoryException">The system gives no such address space.</exception>
    public NativeArray(long length)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(length);
        m_start = (T*)NativeMemory.AllocZeroed(checked((nuint)length), (nuint)sizeof(T));
        Length = length;
    }

    /// <summary>Gives back what nobody disposed of.</summary>
    ~NativeArray() => Free();

    /// <summary>Number of elements; 0 after <see cref="Dispose"/>.</summary>
    public long Length { get; private set; }

    /// <summary>A run of elements.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is not within the array.</exception>
    public Span<T> Slice(long start, int length)
    {
        if (start < 0 || length < 0 || start > Length - length)
            throw new ArgumentOutOfRangeException(nameof(start));
        return new Span<T>(m_start + start, length);
    }

    /// <summary>Gives the memory back. Can be called more than once.</summary>
    public void Dispose()
    {
        Free();
        GC.SuppressFinalize(this);
    }

    private void Free()
    {
        Length = 0;
        NativeMemory.Free(m_start);
        m_start = null;
    }
}
