// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;

namespace Duplicati.UnitTest.Support;

/// <summary>
/// Waits for what another thread or process does, with a limit that only a hang reaches. Waits without one are banned in the tests.
/// </summary>
internal static class Wait
{
    /// <summary>For one step of another thread or process.</summary>
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(5);

    /// <summary>For a program that was killed, or has closed its output.</summary>
    private static readonly TimeSpan s_longestEnd = TimeSpan.FromMinutes(2);

    /// <summary>For a program from its start to its end, which in long runs is all that a test does.</summary>
    private static readonly TimeSpan s_longestProgram = TimeSpan.FromHours(1);

    /// <summary>Waits until something is so.</summary>
    /// <param name="condition">What has to be so.</param>
    /// <param name="what">The same in words, for the message of a test that waited too long.</param>
    internal static void Until(Func<bool> condition, string what) => Check(SpinWait.SpinUntil(condition, s_longest), s_longest, what);

    /// <summary>Waits for the signal of another thread.</summary>
    /// <param name="signal">It.</param>
    /// <param name="what">What it tells.</param>
    internal static void For(ManualResetEventSlim signal, string what) => Check(signal.Wait(s_longest), s_longest, what);

    /// <summary>Waits until a thread has ended.</summary>
    /// <param name="thread">It.</param>
    /// <param name="what">What it does.</param>
    internal static void ForEnd(Thread thread, string what) => Check(thread.Join(s_longest), s_longest, what);

    /// <summary>Waits until a process has ended that was killed, or has closed its output. One that does not is killed.</summary>
    /// <param name="process">One that this process has started.</param>
    internal static void ForEnd(Process process)
    {
        if (!process.WaitForExit(s_longestEnd))
            GiveUp(process, s_longestEnd, "its end");
    }

    /// <summary>Reads all that a process writes until it ends, and waits for that. One that does not is killed.</summary>
    /// <param name="process">It.</param>
    /// <param name="output">Its standard output, or its error output.</param>
    internal static string ForAll(Process process, TextReader output)
    {
        var text = output.ReadToEndAsync();
        if (!text.Wait(s_longestProgram))
            GiveUp(process, s_longestProgram, "the end of its output");
        ForEnd(process);
        return text.GetAwaiter().GetResult();
    }

    /// <summary>Reads the next line that a process writes. A process that writes none is killed.</summary>
    /// <param name="process">It.</param>
    /// <param name="output">Its standard output, or its error output.</param>
    /// <returns>The line.</returns>
    internal static string ForLine(Process process, TextReader output) => ForLine(process, output, static _ => true, "a line");

    /// <summary>Reads what a process writes up to the first line that is wanted. A process that does not write it is killed.</summary>
    /// <param name="process">It.</param>
    /// <param name="output">Its standard output, or its error output.</param>
    /// <param name="wanted">Whether a line is.</param>
    /// <param name="what">The same in words.</param>
    /// <returns>The line.</returns>
    internal static string ForLine(Process process, TextReader output, Func<string, bool> wanted, string what)
    {
        var read = Task.Run(() =>
        {
            var line = output.ReadLine();
            while (line is not null && !wanted(line))
                line = output.ReadLine();
            return line;
        });
        if (!read.Wait(s_longest))
            GiveUp(process, s_longest, what);
        return read.GetAwaiter().GetResult() ?? throw new AssertionException($"{process.StartInfo.FileName} ended before it wrote {what}");
    }

    /// <summary>Waits until a file has content.</summary>
    internal static void ForContent(string path)
    {
        var file = new FileInfo(path);
        Until(HasContent, $"'{path}' has content");

        bool HasContent()
        {
            file.Refresh();
            return file is { Exists: true, Length: > 0 };
        }
    }

    private static void GiveUp(Process process, TimeSpan limit, string what)
    {
        process.Kill(entireProcessTree: true);
        Check(false, limit, $"{process.StartInfo.FileName} {string.Join(' ', process.StartInfo.ArgumentList)}: {what}");
    }

    private static void Check(bool isSo, TimeSpan limit, string what) =>
        Assert.That(isSo, Is.True, $"waited {limit.TotalMinutes} minutes: {what}");
}
