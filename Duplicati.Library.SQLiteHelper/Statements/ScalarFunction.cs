#nullable enable

using System;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>Functions in native code that the statements of one connection can call. Source: https://www.sqlite.org/c3ref/create_function.html.</summary>
internal static unsafe class ScalarFunction
{
    /// <summary>The same arguments always have the same answer while a statement runs.</summary>
    internal const int Deterministic = 0x800;

    private const int Utf8 = 1;

    /// <summary>Makes a function, or replaces or, without one, removes it.</summary>
    /// <param name="statements">The statements of the connection.</param>
    /// <param name="name">Its name in ASCII, with a zero at the end.</param>
    /// <param name="arguments">Number of arguments.</param>
    /// <param name="flags">0 or <see cref="Deterministic"/>.</param>
    /// <param name="data">What the function gets by <see cref="NativeSqlite.UserData"/>.</param>
    /// <param name="function">The function; null to remove it.</param>
    /// <returns>The result code: busy if there is one already and any statement of the connection runs.</returns>
    internal static int Set(StatementCache statements, ReadOnlySpan<byte> name, int arguments, int flags, nint data, delegate* unmanaged[Cdecl]<nint, int, nint*, void> function)
    {
        fixed (byte* start = name)
            return NativeSqlite.CreateFunction(statements.Database, start, arguments, Utf8 | flags, data, function, 0, 0, 0);
    }
}
