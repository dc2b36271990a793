// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Tool;

namespace Duplicati.UnitTest.Tool;

/// <summary>The tool in a process of its own, as from a shell.</summary>
internal sealed class ToolProgram : IChildProgram
{
    /// <summary>The words that start it, without its arguments.</summary>
    internal static string[] Words => [ChildProcess.Host, "exec", ChildProcess.Program, typeof(ToolProgram).FullName!];

    public static int Run(string[] args) => ToolRoot.RunAsync(args, Console.Out, Console.Error).GetAwaiter().GetResult();

    /// <summary>Starts it. What it writes to its error stream can be read, the rest is lost.</summary>
    /// <param name="temporary">A folder for its temporary files; it is made.</param>
    /// <param name="args">Its arguments.</param>
    internal static Process Start(string temporary, params string[] args)
    {
        // A background job of a script is started with the signal ignored, and so are its children.
        var start = new ProcessStartInfo("env", ["--default-signal=INT", "sh", "-c", "exec \"$@\" > /dev/null", "sh", .. Words, .. args])
        {
            RedirectStandardError = true,
            Environment = { ["TMPDIR"] = Directory.CreateDirectory(temporary).FullName },
        };
        return Process.Start(start)!;
    }

    internal static void Signal(Process tool, string signal) =>
        Assert.That(ChildProcess.Run("/bin/sh", "-c", $"kill -s {signal} {tool.Id}").ExitCode, Is.Zero);
}
