// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.UnitTest.Reliability.PowerLoss;

namespace Duplicati.UnitTest.SQLiteHelper.Migrations;

/// <summary>A process that upgrades a database and kills itself on the way.</summary>
/// <remarks>Arguments: the database, what to count, and at which count to die; 0 never, then the count is written out.</remarks>
internal sealed unsafe class KilledUpgrade : IChildProgram
{
    /// <summary>Counts statements, also BEGIN and COMMIT; dies at the begin of one.</summary>
    public const string Statements = "statements";

    /// <summary>Counts hundreds of instructions of SQLite's virtual machine; dies inside a statement.</summary>
    public const string Instructions = "instructions";

    /// <summary>Counts what is done to files while there is an unfinished safety copy; dies after one of these steps.</summary>
    public const string Copy = "copy";

    private const uint SQLITE_TRACE_STMT = 1;
    private const int INSTRUCTIONS = 100;

    private static int s_count;
    private static int s_deadly;

    public static int Run(string[] args)
    {
        s_deadly = int.Parse(args[2]);
        using var recorder = args[1] == Copy ? WatchCopy(Path.GetDirectoryName(args[0])!) : null;
        Console.WriteLine(CountOf(args[0], args[1]));
        return 0;
    }

    /// <summary>Upgrades a database, in this process, and returns the count.</summary>
    internal static int CountOf(string path, string what)
    {
        s_count = 0;
        using var connection = SQLiteLoader.LoadConnection(path);
        Hook(connection.Handle!.DangerousGetHandle(), what);
        DatabaseUpgrader.UpgradeDatabase(connection, path, typeof(DatabaseSchemaMarker));
        return s_count;
    }

    private static void Hook(nint database, string what)
    {
        if (what == Statements)
        {
            var trace = (delegate* unmanaged[Cdecl]<nint, uint, delegate* unmanaged[Cdecl]<uint, nint, nint, nint, int>, nint, int>)
                NativeLibrary.GetExport(SqliteEngine.Library, "sqlite3_trace_v2");
            trace(database, SQLITE_TRACE_STMT, &OnStatement, 0);
        }
        else if (what == Instructions)
        {
            var progress = (delegate* unmanaged[Cdecl]<nint, int, delegate* unmanaged[Cdecl]<nint, int>, nint, void>)
                NativeLibrary.GetExport(SqliteEngine.Library, "sqlite3_progress_handler");
            progress(database, INSTRUCTIONS, &OnInstructions, 0);
        }
    }

    private static DiskRecorder WatchCopy(string folder) =>
        new(folder)
        {
            After = _ =>
            {
                if (Directory.EnumerateFiles(folder, "*.incomplete").Any())
                    Count();
            },
        };

    private static void Count()
    {
        if (++s_count == s_deadly)
            ChildProgram.Die();
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int OnStatement(uint kind, nint context, nint statement, nint text)
    {
        Count();
        return 0;
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int OnInstructions(nint context)
    {
        Count();
        return 0;
    }
}
