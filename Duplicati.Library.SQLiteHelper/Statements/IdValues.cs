#nullable enable

using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>
/// A value for each id of a range, of which there are few, for the statements of one connection until this is disposed:
/// <c>note_value(id, value)</c> takes it and is 0, <c>value_of(id)</c> gives it, or fails if there is none. About 50 ns a call.
/// </summary>
/// <remarks>
/// 2 bytes an id, and 512 KiB. Same thread rules as the connection. No statement that uses the functions may be running when this is
/// disposed.
/// </remarks>
public sealed unsafe class IdValues : IDisposable
{
    /// <summary>Takes a value.</summary>
    public const string Note = "note_value";

    /// <summary>Gives it.</summary>
    public const string Get = "value_of";

    private const int MostValues = ushort.MaxValue;

    private readonly StatementCache m_statements;
    private State* m_state;

    /// <summary>Makes the functions.</summary>
    /// <param name="statements">The statements of the connection.</param>
    /// <param name="first">The first id.</param>
    /// <param name="length">Number of ids. Others have no value, and are not noted.</param>
    /// <exception cref="SqliteException">The engine makes no function.</exception>
    public IdValues(StatementCache statements, long first, long length)
    {
        ArgumentNullException.ThrowIfNull(statements);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(length);
        m_statements = statements;
        m_state = (State*)NativeMemory.AllocZeroed((nuint)sizeof(State));
        (m_state->First, m_state->Length) = (first, (ulong)length);
        m_state->Numbers = (ushort*)NativeMemory.AllocZeroed((nuint)length, sizeof(ushort));
        m_state->Values = (long*)NativeMemory.Alloc(MostValues + 1, sizeof(long));
        var rc = Set((nint)m_state, &Take, &Give);
        if (rc == NativeSqlite.Ok)
            return;

        var error = statements.CreateException(rc, Note);
        Dispose();
        throw error;
    }

    /// <summary>Whether all that was noted could be kept: the value changed less than 65,536 times from one call to the next.</summary>
    public bool IsWhole => !m_state->IsFull;

    /// <summary>Takes the functions away.</summary>
    public void Dispose()
    {
        if (m_state is null)
            return;

        // The engine refuses it while a statement is running, and the memory must stay then.
        if (Set(0, null, null) == NativeSqlite.Ok)
        {
            NativeMemory.Free(m_state->Numbers);
            NativeMemory.Free(m_state->Values);
            NativeMemory.Free(m_state);
        }

        m_state = null;
    }

    private int Set(nint state, delegate* unmanaged[Cdecl]<nint, int, nint*, void> take, delegate* unmanaged[Cdecl]<nint, int, nint*, void> give)
    {
        var rc = ScalarFunction.Set(m_statements, "note_value\0"u8, 2, 0, state, take);
        return rc == NativeSqlite.Ok ? ScalarFunction.Set(m_statements, "value_of\0"u8, 1, ScalarFunction.Deterministic, state, give) : rc;
    }

    // Nothing in either of them can throw, which would end the process.
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static void Take(nint context, int count, nint* values)
    {
        var state = (State*)NativeSqlite.UserData(context);
        var index = (ulong)NativeSqlite.ValueInt64(values[0]) - (ulong)state->First;
        var value = NativeSqlite.ValueInt64(values[1]);
        if (state->Count == 0 || state->Values[state->Count] != value)
        {
            if (state->Count == MostValues)
                state->IsFull = true;
            else
                state->Values[++state->Count] = value;
        }

        if (index < state->Length)
            state->Numbers[index] = (ushort)state->Count;
        NativeSqlite.ResultInt(context, 0);
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static void Give(nint context, int count, nint* values)
    {
        var state = (State*)NativeSqlite.UserData(context);
        var index = (ulong)NativeSqlite.ValueInt64(values[0]) - (ulong)state->First;
        if (index < state->Length && state->Numbers[index] is > 0 and var number)
            NativeSqlite.ResultInt64(context, state->Values[number]);
        else
            NativeSqlite.ResultError(context, ResultCode.Corrupt);
    }

    // The numbers of the values begin with 1.
    private struct State
    {
        internal ushort* Numbers;
        internal long First;
        internal ulong Length;
        internal long* Values;
        internal int Count;
        internal bool IsFull;
    }
}
