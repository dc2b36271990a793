// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using System.Text.Json;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool.Following;

/// <summary>Does what the tool says, to the letter.</summary>
internal static class FollowedAdvice
{
    /// <summary>The words of the command that a run names first, as a shell takes them; null if it names none.</summary>
    internal static string[]? Of(ToolRun run)
    {
        var line =
            run.Error.Split('\n').LastOrDefault(x => x.StartsWith(ToolConsole.RUN, StringComparison.Ordinal))?[ToolConsole.RUN.Length..]
            ?? Finding(run.Output);
        if (line is null)
            return null;
        var words = Split(line);
        Assert.That(words[0], Is.EqualTo("duplicati-db"), line);
        Assert.That(words, Has.None.EqualTo("REMOTE").And.None.EqualTo("FILE"), line);
        return [.. words[1..], .. words.Contains("--json") ? [] : (string[])["--json"]];
    }

    /// <summary>Runs a command, answers its questions with yes, and then what it names, until one names nothing.</summary>
    /// <param name="words">The first one.</param>
    /// <param name="most">How many may follow it.</param>
    /// <returns>All of them, and what they gave.</returns>
    internal static async Task<List<(string Command, ToolRun Run)>> FollowAsync(string[] words, int most)
    {
        var chain = new List<(string Command, ToolRun Run)>();
        while (true)
        {
            var run = await ToolRun.AnswerAsync("y", words);
            chain.Add((string.Join(' ', words), run));
            var next = Of(run);
            if (next is null)
                return chain;
            Assert.That(string.Join(' ', next), Is.Not.EqualTo(chain[^1].Command), $"a command that advises itself:\n{Text(chain)}");
            Assert.That(chain, Has.Count.LessThanOrEqualTo(most), $"advice without an end:\n{Text(chain)}");
            words = next;
        }
    }

    /// <summary>As above, and, where a command names nothing more or a check, goes on with what a check names.</summary>
    /// <param name="words">The first one.</param>
    /// <param name="check">A check of the same backup.</param>
    /// <param name="most">How many may follow the first one.</param>
    /// <returns>What the first one gave, and all that followed.</returns>
    internal static async Task<(ToolRun First, List<(string Command, ToolRun Run)> Chain)> WalkAsync(
        string[] words,
        string[] check,
        int most
    )
    {
        var chain = new List<(string Command, ToolRun Run)>();
        var first = await ToolRun.AnswerAsync("y", words);
        var (run, start) = (first, Text([(string.Join(' ', words), first)]));
        while (true)
        {
            var next = Of(run);
            if (next?[0] is null or "check" && File.Exists(check[Array.IndexOf(check, "--dbpath") + 1]))
                next = Of(await ToolRun.RunAsync(check));
            if (next is null)
                return (first, chain);
            var command = string.Join(' ', next);
            Assert.That(chain.LastOrDefault().Command, Is.Not.EqualTo(command), $"advice that changes nothing\n{start}\n{Text(chain)}");
            Assert.That(chain, Has.Count.LessThan(most), $"advice without an end: {command}\n{start}\n{Text(chain)}");
            run = await ToolRun.AnswerAsync("y", next);
            chain.Add((command, run));
            Assert.That(run.Code, Is.Not.EqualTo(ExitCode.Internal).And.Not.EqualTo(ExitCode.Usage), $"{start}\n{Text(chain)}");
            if (run.IsRefused && Of(run) is null)
                return (first, chain);
        }
    }

    /// <summary>A chain for a message.</summary>
    internal static string Text(IEnumerable<(string Command, ToolRun Run)> chain) =>
        string.Join('\n', chain.Select(x => $"$ {x.Command}\n  exit {x.Run.Code}: {x.Run.Error.Trim().ReplaceLineEndings("\n  ")}"));

    private static string? Finding(string output)
    {
        if (!output.StartsWith('{') || !JsonDocument.Parse(output).RootElement.TryGetProperty("findings", out var findings))
            return null;
        return findings
            .EnumerateArray()
            .Where(x => x.GetProperty("severity").GetString() == "Problem")
            .Select(x => x.GetProperty("command").GetString())
            .FirstOrDefault();
    }

    /// <summary>The words of a line, as a shell takes them.</summary>
    internal static string[] Split(string line)
    {
        var (words, word, quoted) = (new List<string>(), new StringBuilder(), false);
        foreach (var letter in line.Trim() + " ")
        {
            if (letter == '\'')
                quoted = !quoted;
            else if (letter != ' ' || quoted)
                word.Append(letter);
            else if (word.Length > 0)
            {
                words.Add(word.ToString());
                word.Clear();
            }
        }

        return [.. words];
    }
}
