// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;

namespace Duplicati.UnitTest.Support;

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
