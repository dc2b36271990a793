// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;

namespace Duplicati.UnitTest.Support;

/// <summary>Runs child programs that die in the middle of their work: by themselves at a step, or killed a while after they have begun.</summary>
internal static class KilledChild
{
    private const string Begun = "begun";

    /// <summary>In a child that is killed from outside: the work begins now.</summary>
    internal static void Begin() => Console.WriteLine(Begun);

    /// <summary>Runs one that kills itself, or ends.</summary>
    /// <typeparam name="T">The program.</typeparam>
    /// <param name="temporary">A folder for what it leaves among the temporary files; it is made.</param>
    /// <param name="args">Its arguments.</param>
    /// <returns>Exit code, what it wrote to its standard output and to its error output.</returns>
    internal static (int ExitCode, string Output, string Error) Run<T>(string temporary, params string[] args)
        where T : IChildProgram => ChildProcess.Run(Start<T>(temporary, args));

    /// <summary>Starts one, waits until it has begun, and kills it a while later.</summary>
    /// <typeparam name="T">The program.</typeparam>
    /// <param name="milliseconds">How much later.</param>
    /// <param name="temporary">As above.</param>
    /// <param name="notes">A file that it writes to: the while begins with its first content, which comes late on a busy machine.</param>
    /// <param name="args">Its arguments.</param>
    /// <returns>How long it worked if it had ended by itself; null if it was killed.</returns>
    internal static TimeSpan? KillAfter<T>(int milliseconds, string temporary, string? notes, params string[] args)
        where T : IChildProgram
    {
        var start = Start<T>(temporary, args);
        (start.RedirectStandardInput, start.RedirectStandardOutput) = (true, true);
        using var child = Process.Start(start)!;
        Assert.That(Wait.ForLine(child, child.StandardOutput), Is.EqualTo(Begun));
        var clock = Stopwatch.StartNew();
        if (notes is not null)
            Wait.ForContent(notes);
        if (child.WaitForExit(milliseconds))
        {
            Assert.That(child.ExitCode, Is.Zero);
            return clock.Elapsed;
        }

        ChildProcess.Kill(child);
        return null;
    }

    /// <summary>The lines that a killed child has noted. The last one may be cut off by the kill; then it does not count.</summary>
    internal static string[] Notes(string path)
    {
        var text = File.Exists(path) ? File.ReadAllText(path) : "";
        return text[..(text.LastIndexOf('\n') + 1)].Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }

    private static ProcessStartInfo Start<T>(string temporary, string[] args) =>
        new(ChildProcess.Host, ["exec", ChildProcess.Program, typeof(T).FullName!, .. args])
        {
            Environment = { ["TMPDIR"] = Directory.CreateDirectory(temporary).FullName },
        };
}
