// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Tool;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Tool;

/// <summary>What one command line of the tool gave.</summary>
/// <param name="Code">Exit code.</param>
/// <param name="Output">Text on the output stream.</param>
/// <param name="Error">Text on the error stream.</param>
internal sealed record ToolRun(int Code, string Output, string Error)
{
    /// <summary>The output as JSON.</summary>
    public JsonElement Json => JsonDocument.Parse(Output).RootElement;

    /// <summary>The help id of a failure with <c>--json</c>.</summary>
    public string? HelpId => Json.GetProperty("helpId").GetString();

    /// <summary>Whether it failed for a reason that can be put right.</summary>
    public bool IsRefused => Code is ExitCode.Failed or ExitCode.NoBackup or ExitCode.Locked or ExitCode.WrongPassphrase;

    /// <summary>What kinds of things a check found.</summary>
    public string[] Kinds => [.. Items("findings").Select(x => x.GetProperty("kind").GetString()!)];

    /// <summary>A list of the output.</summary>
    public List<JsonElement> Items(string name) => [.. Json.GetProperty(name).EnumerateArray()];

    /// <summary>A list of texts of the output.</summary>
    public List<string> Strings(string name) => [.. Items(name).Select(x => x.GetString()!)];

    /// <summary>It failed for this reason, with the exit code of it.</summary>
    public void AssertRefused(string helpId)
    {
        Assert.That((Code, HelpId), Is.EqualTo((ExitCode.Of(helpId), helpId)), Error);
        Assert.That(Error, Does.Contain(helpId));
    }

    /// <summary>Runs the tool in this process.</summary>
    public static Task<ToolRun> RunAsync(params string[] args) => AnswerAsync(null, args);

    /// <summary>Runs the tool in this process, with somebody at the terminal who gives an answer to every question.</summary>
    public static async Task<ToolRun> AnswerAsync(string? answer, params string[] args)
    {
        using var terminal = answer is null ? null : new StringReader(answer + "\n");
        return await RunAsync(terminal, args);
    }

    /// <summary>Runs the tool in this process, at a terminal or none.</summary>
    public static Task<ToolRun> RunAsync(TextReader? terminal, params string[] args) => RunAsync(terminal, default, args);

    /// <summary>As above, and can be interrupted.</summary>
    public static async Task<ToolRun> RunAsync(TextReader? terminal, CancellationToken token, params string[] args)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        var code = await ToolRoot.RunAsync(args, output, error, terminal, token);
        return new ToolRun(code, output.ToString(), error.ToString());
    }
}

/// <summary>A folder with a source, and the tool's arguments for it.</summary>
internal sealed class ToolCase : IDisposable
{
    private readonly TestFolder m_folder = new();

    public ToolCase()
    {
        Source = m_folder.File("source");
        var random = new Random(11);
        for (var i = 0; i < 6; i++)
            Engine.Operations.SourceTree.Write(Source, $"folder/{i}", 30_000, random);
        File.WriteAllText(Passphrase, "a passphrase\n");
    }

    /// <summary>A copy of a backup, which shares its source.</summary>
    public ToolCase(ToolCase made)
    {
        Source = made.Source;
        VolumeFiles.Copy(made.Remote, Remote);
        foreach (var file in new[] { made.Database, made.Passphrase })
            File.Copy(file, m_folder.File(Path.GetFileName(file)));
    }

    public string Source { get; }

    public string Remote => m_folder.File("remote");

    public string Database => m_folder.File("backup.sqlite");

    /// <summary>A file that holds a passphrase.</summary>
    public string Passphrase => m_folder.File("passphrase");

    public string this[string name] => m_folder.File(name);

    /// <summary>Runs a command on the remote folder and the database, unencrypted and with JSON output.</summary>
    public Task<ToolRun> RunAsync(string command, params string[] more) =>
        ToolRun.RunAsync([command, Remote, "--dbpath", Database, "--no-encryption", "--json", .. more]);

    public Task<ToolRun> BackUpAsync(params string[] more) =>
        RunAsync("backup", [Source, "--blocksize", "1kb", "--dblock-size", "50kb", .. more]);

    public void Dispose() => m_folder.Dispose();
}
