using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.InteropServices;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>
/// <see cref="CompiledLoopSource"/>, compiled by the machine's C compiler (<c>cc</c>) and loaded, working on the SQLite library that is
/// loaded in this process: its functions are handed over, so that neither headers nor a second SQLite are needed.
/// </summary>
internal static unsafe class CompiledLoop
{
    private static readonly string[] s_functions =
    [
        "sqlite3_prepare_v2", "sqlite3_step", "sqlite3_reset", "sqlite3_finalize", "sqlite3_bind_int64", "sqlite3_bind_text",
        "sqlite3_column_int64", "sqlite3_column_text", "sqlite3_last_insert_rowid", "sqlite3_changes",
    ];

    private static readonly nint s_library = Load();

    /// <summary>False without a compiler, or where it cannot make a library that loads.</summary>
    public static bool IsAvailable => s_library != 0;

    /// <summary>A function of the compiled text.</summary>
    public static nint Function(string name) => NativeLibrary.GetExport(s_library, name);

    private static nint Load()
    {
        using var folder = new TempFolder();
        var source = Path.Combine(folder, "loop.c");
        var library = Path.Combine(folder, "loop.so");
        File.WriteAllText(source, CompiledLoopSource.Text);
        // A library stays loaded when its file is gone.
        if (!Compile(source, library) || !NativeLibrary.TryLoad(library, out var handle))
        {
            Console.Error.WriteLine("The native C loop is left out: there is no C compiler 'cc', or what it makes does not load.");
            return 0;
        }

        var functions = stackalloc nint[s_functions.Length];
        for (var i = 0; i < s_functions.Length; i++)
            functions[i] = NativeLibrary.GetExport(SqliteEngine.Library, s_functions[i]);
        ((delegate* unmanaged[Cdecl]<nint*, void>)NativeLibrary.GetExport(handle, "loop_use"))(functions);
        return handle;
    }

    private static bool Compile(string source, string library)
    {
        try
        {
            using var compiler = Process.Start(new ProcessStartInfo("cc", ["-O2", "-shared", "-fPIC", "-o", library, source]));
            compiler?.WaitForExit();
            return compiler is { ExitCode: 0 };
        }
        catch (Win32Exception)
        {
            return false;
        }
    }
}
