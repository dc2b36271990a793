// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Duplicati.Library.Logging;
using SQLitePCL;

namespace Duplicati.UnitTest.Support;

/// <summary>Keeps what is logged in the call chain of a test until it is disposed.</summary>
internal sealed class LogCapture : IDisposable
{
    private readonly Lock m_lock = new();
    private readonly List<LogEntry> m_entries = [];
    private readonly Action<LogEntry>? m_onEntry;
    private readonly IDisposable m_scope;

    /// <summary>Begins to listen; <paramref name="onEntry"/> is called for each message, on the thread that writes it.</summary>
    internal LogCapture(Action<LogEntry>? onEntry = null)
    {
        m_onEntry = onEntry;
        m_scope = Log.StartScope(Keep);
    }

    /// <summary>Everything so far, oldest first.</summary>
    internal IReadOnlyList<LogEntry> Entries
    {
        get
        {
            lock (m_lock)
                return [.. m_entries];
        }
    }

    /// <summary>What would become part of an operation's result.</summary>
    internal IReadOnlyList<LogEntry> WarningsAndErrors =>
        [.. Entries.Where(x => x.Level is LogMessageType.Warning or LogMessageType.Error)];

    /// <summary>The messages with an id.</summary>
    internal IReadOnlyList<LogEntry> WithId(string id) => [.. Entries.Where(x => x.Id == id)];

    /// <summary>The messages of one level with an id.</summary>
    internal IReadOnlyList<LogEntry> Of(LogMessageType level, string id) => [.. WithId(id).Where(x => x.Level == level)];

    public void Dispose() => m_scope.Dispose();

    private void Keep(LogEntry entry)
    {
        lock (m_lock)
            m_entries.Add(entry);
        m_onEntry?.Invoke(entry);
    }
}

/// <summary>
/// Writes what SQLite logs to the standard output, a line each: code, a space, text. For a child process, before its first connection.
/// </summary>
internal static unsafe class EngineLog
{
    private const int ConfigLog = 16;

    /// <summary>Sets it up.</summary>
    /// <exception cref="InvalidOperationException">The library is in use already.</exception>
    internal static void Install()
    {
        Batteries_V2.Init();
        // Before the library is initialised, which the first connection does. The provider's own call keeps its delegate alive for
        // too short a time, so the function is passed directly.
        var library = NativeLibrary.Load(
            raw.GetNativeLibraryName(),
            Assembly.Load("SQLitePCLRaw.provider." + raw.GetNativeLibraryName()),
            null
        );
        var configure = (delegate* unmanaged[Cdecl]<int, nint, nint, int>)NativeLibrary.GetExport(library, "sqlite3_config");
        if (configure(ConfigLog, (nint)(delegate* unmanaged[Cdecl]<nint, int, byte*, void>)&Log, 0) != raw.SQLITE_OK)
            throw new InvalidOperationException("SQLite is in use already.");
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static void Log(nint context, int code, byte* message) =>
        Console.Out.WriteLine($"{code} {Marshal.PtrToStringUTF8((nint)message)}");
}
