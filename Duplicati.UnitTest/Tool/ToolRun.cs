// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Text.Json;
using Duplicati.Tool;
using Duplicati.Tool.Cli;

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
    public string? HelpId => Text("helpId");

    /// <summary>Whether it failed for a reason that can be put right.</summary>
    public bool IsRefused => Code is ExitCode.Failed or ExitCode.NoBackup or ExitCode.Locked or ExitCode.WrongPassphrase;

    /// <summary>What kinds of things a check found.</summary>
    public string[] Kinds => [.. Items("findings").Select(x => x.GetProperty("kind").GetString()!)];

    /// <summary>A number of the output.</summary>
    public long Number(string name) => Json.GetProperty(name).GetInt64();

    /// <summary>A text of the output.</summary>
    public string Text(string name) => Json.GetProperty(name).GetString()!;

    /// <summary>Whether something of the output is so.</summary>
    public bool Flag(string name) => Json.GetProperty(name).GetBoolean();

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

    /// <summary>Runs the tool in this process, and it ends well.</summary>
    public static Task<ToolRun> OkAsync(params string[] args) => OkAsync(RunAsync(args));

    /// <summary>What is run ends well.</summary>
    public static async Task<ToolRun> OkAsync(Task<ToolRun> running)
    {
        var run = await running;
        Assert.That(run.Code, Is.EqualTo(ExitCode.Ok), run.Output + run.Error);
        return run;
    }

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
internal class ToolCase : IDisposable
{
    private readonly TestFolder m_folder = new();
    private readonly string? m_source;

    /// <summary>A folder of its own.</summary>
    /// <param name="isFilled">With six files in the source.</param>
    public ToolCase(bool isFilled = true)
    {
        var random = new Random(11);
        for (var i = 0; isFilled && i < 6; i++)
            Engine.Operations.SourceTree.Write(Source, $"folder/{i}", 30_000, random);
        File.WriteAllText(Passphrase, "a passphrase\n");
    }

    /// <summary>A copy of a backup, which shares its source.</summary>
    public ToolCase(ToolCase made)
    {
        (m_source, IsEncrypted) = (made.Source, made.IsEncrypted);
        VolumeFiles.Copy(made.Remote, Remote);
        foreach (var file in new[] { made.Database, made.Passphrase })
            File.Copy(file, m_folder.File(Path.GetFileName(file)));
    }

    /// <summary>Commands are given the passphrase.</summary>
    public bool IsEncrypted { get; init; }

    public string Source => m_source ?? m_folder.File("source");

    public string Remote => m_folder.File("remote");

    public virtual string Database => m_folder.File("backup.sqlite");

    /// <summary>A file that holds a passphrase.</summary>
    public string Passphrase => m_folder.File("passphrase");

    public string this[string name] => m_folder.File(name);

    /// <summary>The option for the passphrase of the backup.</summary>
    public string[] Access => IsEncrypted ? ["--passphrase-file", Passphrase] : ["--no-encryption"];

    /// <summary>The words of a command on the remote folder and the database, with JSON output.</summary>
    public string[] Words(string command, params string[] more) => [command, Remote, "--dbpath", Database, .. Access, "--json", .. more];

    /// <summary>The words of a line, where a name behind $ stands for something of the case, and those that follow as they are.</summary>
    public string[] Line(string line, params string[] more) =>
        [
            .. line.Split(' ')
                .Select(x =>
                    x switch
                    {
                        "$DB" => Database,
                        "$FOLDER" => Path.GetDirectoryName(Database)!,
                        "$REMOTE" => Remote,
                        "$SOURCE" => Source,
                        "$OUTPUT" => this[Guid.NewGuid().ToString("N")],
                        "$VOLUME" => Path.GetFileName(VolumeFiles.Of(Remote, "dblock")[0]),
                        ['$', .. var name] => this[name],
                        _ => x,
                    }
                ),
            .. more,
        ];

    /// <summary>Runs a command on the remote folder and the database, with JSON output.</summary>
    public Task<ToolRun> RunAsync(string command, params string[] more) => ToolRun.RunAsync(Words(command, more));

    /// <summary>Runs a line.</summary>
    public Task<ToolRun> LineAsync(string line, params string[] more) => ToolRun.RunAsync(Line(line, more));

    /// <summary>Runs a command on the database alone, with JSON output.</summary>
    public Task<ToolRun> QueryAsync(string command, params string[] more) =>
        ToolRun.RunAsync([command, "--dbpath", Database, "--json", .. more]);

    public Task<ToolRun> BackUpAsync(params string[] more) =>
        RunAsync("backup", [Source, "--blocksize", "1kb", "--dblock-size", "50kb", .. more]);

    /// <summary>Restores into a folder of the case.</summary>
    public Task<ToolRun> RestoreAsync(string target, params string[] more) => RunAsync("restore", ["--target", this[target], .. more]);

    /// <summary>The same without the database.</summary>
    public Task<ToolRun> DirectAsync(string target, params string[] more) =>
        ToolRun.RunAsync(["restore", Remote, "--no-database", .. Access, "--json", "--target", this[target], .. more]);

    /// <summary>Changes the database as another program would do it: nothing is refreshed at the open.</summary>
    public void Sql(string sql) => Databases.Execute(Database, sql);

    public virtual void Dispose() => m_folder.Dispose();
}

/// <summary>A new case for each test.</summary>
internal abstract class ToolTestBase
{
    private protected ToolCase Tool { get; private set; } = null!;

    [SetUp]
    public void MakeCase() => Tool = Begin();

    [TearDown]
    public void RemoveCase() => Tool.Dispose();

    /// <summary>The case that a test begins with.</summary>
    protected virtual ToolCase Begin() => new();
}

/// <summary>A copy, for each test, of a backup that is made once; they share its source.</summary>
internal abstract class CopiedToolTestBase : ToolTestBase
{
    private ToolCase m_made = null!;

    [OneTimeSetUp]
    public Task MakeBackup() => MakeAsync(m_made = new ToolCase());

    [OneTimeTearDown]
    public void RemoveBackup() => m_made.Dispose();

    protected override ToolCase Begin() => new(m_made);

    /// <summary>Backs up.</summary>
    protected abstract Task MakeAsync(ToolCase made);
}

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
