// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.ComponentModel;
using System.Diagnostics;
using System.Text;

namespace Duplicati.Engine.Remote.Rclone;

/// <summary>
/// Runs rclone, a process for each call. Names of files go through its standard input and secrets come from its own configuration or the
/// environment, so that neither is ever on a command line. Safe for concurrent use.
/// </summary>
internal sealed class RcloneProgram(string program, int transfers)
{
    // A list of a million files takes about 150 MB.
    private const int MostOutput = 512 * 1024 * 1024;

    // What a user has set for rclone in general, and would change what is listed, copied or said.
    private static readonly string[] s_unwanted =
    [
        "LOG_LEVEL",
        "LOG_FILE",
        "LOG_FORMAT",
        "VERBOSE",
        "QUIET",
        "PROGRESS",
        "INTERACTIVE",
        "DRY_RUN",
        "ERROR_ON_NO_TRANSFER",
        "MAX_DEPTH",
        "RECURSIVE",
        "DIRS_ONLY",
        "IGNORE_EXISTING",
        "IMMUTABLE",
        "INCLUDE",
        "INCLUDE_FROM",
        "EXCLUDE",
        "EXCLUDE_FROM",
        "EXCLUDE_IF_PRESENT",
        "FILTER",
        "FILTER_FROM",
        "HASH_FILTER",
        "METADATA_INCLUDE",
        "METADATA_INCLUDE_FROM",
        "METADATA_EXCLUDE",
        "METADATA_EXCLUDE_FROM",
        "METADATA_FILTER",
        "METADATA_FILTER_FROM",
        "FILES_FROM",
        "FILES_FROM_RAW",
        "MIN_SIZE",
        "MAX_SIZE",
        "MIN_AGE",
        "MAX_AGE",
    ];

    private static readonly UTF8Encoding s_encoding = new(encoderShouldEmitUTF8Identifier: false);
    private static readonly TimeSpan s_timeToDie = TimeSpan.FromSeconds(10);

    /// <summary>Runs one command to its end. Cancelling kills the process.</summary>
    /// <param name="arguments">The command and what it works on.</param>
    /// <param name="names">What it reads from its standard input, a line each; null for nothing.</param>
    /// <param name="copied">Hears of each file that is completely copied, if the program says so while it runs.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>How it ended; failure is no exception.</returns>
    /// <exception cref="RcloneException">The program cannot be started.</exception>
    internal async Task<RcloneResult> RunAsync(
        IEnumerable<string> arguments,
        IReadOnlyCollection<string>? names,
        Action<string>? copied,
        CancellationToken token
    )
    {
        token.ThrowIfCancellationRequested();
        using var process = Start(arguments);
        var log = new RcloneLog(copied);
        try
        {
            var output = ReadAsync(process.StandardOutput.BaseStream);
            await Task.WhenAll(WriteAsync(process.StandardInput, names ?? []), log.ReadAsync(process.StandardError), output)
                .WaitAsync(token)
                .ConfigureAwait(false);
            await process.WaitForExitAsync(token).ConfigureAwait(false);
            return new RcloneResult(process.ExitCode, log.LastLines, await output.ConfigureAwait(false));
        }
        finally
        {
            await EndAsync(process).ConfigureAwait(false);
        }
    }

    private Process Start(IEnumerable<string> arguments)
    {
        string[] common =
        [
            "--ask-password=false",
            "--use-json-log",
            "--log-level",
            "INFO",
            "--stats",
            "0",
            "--retries",
            "3",
            "--low-level-retries",
            "10",
            "--transfers",
            $"{transfers}",
        ];
        var start = new ProcessStartInfo(program, [.. arguments, .. common])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            StandardInputEncoding = s_encoding,
            StandardErrorEncoding = s_encoding,
        };
        foreach (var name in s_unwanted)
            start.Environment.Remove("RCLONE_" + name);
        try
        {
            return Process.Start(start)!;
        }
        catch (Exception ex) when (ex is Win32Exception or InvalidOperationException)
        {
            throw new RcloneException(
                $"The program '{program}' cannot be started ({ex.Message}). Install rclone (rclone.org/install, or the package rclone of the system), or say where it is with --rclone PROGRAM.",
                "RcloneMissing",
                ex
            );
        }
    }

    private static async Task WriteAsync(StreamWriter input, IReadOnlyCollection<string> names)
    {
        try
        {
            await using (input.ConfigureAwait(false))
            {
                foreach (var name in names)
                    await input.WriteAsync(name + "\n").ConfigureAwait(false);
            }
        }
        catch (IOException)
        {
            // It ended before it had read all; its exit code and last lines tell why.
        }
    }

    // To the end in any case, or the process would wait for somebody who reads; what is beyond all measure is no list.
    private static async Task<ReadOnlyMemory<byte>> ReadAsync(Stream stream)
    {
        var output = new MemoryStream();
        var buffer = new byte[64 * 1024];
        while (await stream.ReadAsync(buffer).ConfigureAwait(false) is > 0 and var read)
        {
            if (output.Length < MostOutput)
                output.Write(buffer, 0, read);
        }

        return output.GetBuffer().AsMemory(0, (int)output.Length);
    }

    // Nothing may still write to files after the call has returned.
    private static async Task EndAsync(Process process)
    {
        if (process.HasExited)
            return;
        try
        {
            process.Kill(entireProcessTree: true);
            using var patience = new CancellationTokenSource(s_timeToDie);
            await process.WaitForExitAsync(patience.Token).ConfigureAwait(false);
        }
        catch (Exception ex) when (ex is InvalidOperationException or Win32Exception or OperationCanceledException)
        {
            // It has ended by itself, or is beyond our reach.
        }
    }
}

/// <summary>How a run of rclone ended.</summary>
/// <param name="ExitCode">Its exit code; 0 for success.</param>
/// <param name="LastLines">The last errors it wrote.</param>
/// <param name="Output">What it wrote to its standard output.</param>
internal sealed record RcloneResult(int ExitCode, IReadOnlyList<string> LastLines, ReadOnlyMemory<byte> Output)
{
    private const int NoSuchFolder = 3;

    /// <summary>Whether it did what it was asked for.</summary>
    internal bool IsSuccess => ExitCode == 0;

    /// <summary>Whether it failed for a folder that does not exist.</summary>
    internal bool IsFolderMissing => ExitCode == NoSuchFolder;
}
