// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Reflection;

namespace Duplicati.UnitTest.Support;

/// <summary>Something that runs in a process of its own, so that it can die without the tests.</summary>
internal interface IChildProgram
{
    /// <summary>Runs it.</summary>
    /// <param name="args">What the test passed.</param>
    /// <returns>The exit code.</returns>
    static abstract int Run(string[] args);
}

/// <summary>
/// The entry point of the test assembly as a program: runs the <see cref="IChildProgram"/> that the first argument names.
/// </summary>
internal static class ChildProgram
{
    public static int Main(string[] args)
    {
        var type = typeof(ChildProgram).Assembly.GetType(args[0], throwOnError: true)!;
        var run = type.GetMethod(nameof(IChildProgram.Run), BindingFlags.Static | BindingFlags.Public)!;
        return run.CreateDelegate<Func<string[], int>>()(args[1..]);
    }

    /// <summary>
    /// From now on this process ends with the one that started it, whose standard input it has; for one that would go on for ever.
    /// </summary>
    public static void EndWithParent() =>
        new Thread(static () =>
        {
            Console.In.ReadToEnd();
            Die();
        })
        {
            IsBackground = true,
        }.Start();

    /// <summary>Ends this process at once, without any clean-up: SIGKILL, or what comes closest.</summary>
    public static void Die()
    {
        using var self = Process.GetCurrentProcess();
        self.Kill();
        // The signal may arrive a little later than the call returns.
        if (!self.WaitForExit(TimeSpan.FromMinutes(1)))
            Environment.FailFast("A kill has not arrived for a minute.");
    }
}

/// <summary>Runs child programs.</summary>
internal static class ChildProcess
{
    /// <summary>The .NET host that runs the tests.</summary>
    public static string Host { get; } =
        Path.GetFullPath(
            Path.Combine(
                System.Runtime.InteropServices.RuntimeEnvironment.GetRuntimeDirectory(),
                "..",
                "..",
                "..",
                OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet"
            )
        );

    /// <summary>The test assembly as a program.</summary>
    public static string Program { get; } = typeof(ChildProcess).Assembly.Location;

    /// <summary>Runs a child program to its end.</summary>
    /// <typeparam name="T">The program.</typeparam>
    /// <param name="args">Its arguments.</param>
    /// <returns>Exit code, what it wrote to its standard output and to its error output.</returns>
    public static (int ExitCode, string Output, string Error) Run<T>(params string[] args)
        where T : IChildProgram => Run(Host, ["exec", Program, typeof(T).FullName!, .. args]);

    /// <summary>Runs any program to its end.</summary>
    /// <param name="file">The program.</param>
    /// <param name="args">Its arguments.</param>
    /// <returns>As above.</returns>
    public static (int ExitCode, string Output, string Error) Run(string file, params string[] args) =>
        Run(new ProcessStartInfo(file, args));

    /// <summary>Runs any program to its end.</summary>
    /// <param name="start">How it is started; its output is redirected.</param>
    /// <param name="input">What it finds on its standard input, if that is redirected.</param>
    /// <returns>As above.</returns>
    public static (int ExitCode, string Output, string Error) Run(ProcessStartInfo start, string? input = null)
    {
        (start.RedirectStandardInput, start.RedirectStandardOutput, start.RedirectStandardError) = (input is not null, true, true);
        using var process = Process.Start(start)!;
        var error = process.StandardError.ReadToEndAsync();
        if (input is not null)
        {
            process.StandardInput.Write(input);
            process.StandardInput.Close();
        }

        var output = Wait.ForAll(process, process.StandardOutput);
        return (process.ExitCode, output, error.GetAwaiter().GetResult());
    }

    /// <summary>Kills a program, and waits until it is gone.</summary>
    /// <param name="process">It.</param>
    public static void Kill(Process process)
    {
        process.Kill();
        Wait.ForEnd(process);
    }
}
