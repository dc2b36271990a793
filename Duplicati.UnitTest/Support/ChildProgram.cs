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

/// <summary>Gives an environment variable a value, and its old one back when disposed.</summary>
internal sealed class EnvironmentVariable : IDisposable
{
    private readonly string m_name;
    private readonly string? m_before;

    public EnvironmentVariable(string name, string? value)
    {
        m_name = name;
        m_before = Environment.GetEnvironmentVariable(name);
        Environment.SetEnvironmentVariable(name, value);
    }

    public void Dispose() => Environment.SetEnvironmentVariable(m_name, m_before);
}

/// <summary>What a browser without a window makes of a page.</summary>
internal static class HeadlessBrowser
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);

    /// <summary>Opens a page.</summary>
    /// <param name="page">The file.</param>
    /// <param name="profile">A folder for what the browser keeps.</param>
    /// <returns>The elements as text, and what it says of the page; null if no browser is on the PATH.</returns>
    public static (string Dom, string Console)? Read(string page, string profile)
    {
        if (Browser is not { } browser)
            return null;
        var start = new ProcessStartInfo(
            browser,
            [
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--enable-logging=stderr",
                "--user-data-dir=" + profile,
                "--dump-dom",
                "file://" + page,
            ]
        )
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using var process = Process.Start(start)!;
        var (dom, error) = (process.StandardOutput.ReadToEndAsync(), process.StandardError.ReadToEndAsync());
        if (!process.WaitForExit(s_patience))
            process.Kill(entireProcessTree: true);
        return (
            dom.GetAwaiter().GetResult(),
            string.Join('\n', error.GetAwaiter().GetResult().Split('\n').Where(x => x.Contains(":CONSOLE", StringComparison.Ordinal)))
        );
    }

    private static string? Browser =>
        (Environment.GetEnvironmentVariable("PATH") ?? "")
            .Split(Path.PathSeparator)
            .SelectMany(folder => new[] { "chromium", "chromium-browser", "google-chrome" }.Select(name => Path.Combine(folder, name)))
            .FirstOrDefault(File.Exists);
}
