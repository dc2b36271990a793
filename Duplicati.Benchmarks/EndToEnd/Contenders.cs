// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Replay;
using Duplicati.Benchmarks.Results;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>Runs the operations of one contender.</summary>
/// <param name="contender">Who.</param>
/// <param name="options">Sizes, and whether volumes are encrypted.</param>
/// <param name="folder">Where its own settings and figures lie.</param>
internal sealed class ContenderProgram(Peer contender, EndToEndOptions options, string folder)
{
    private readonly MeasuredProgram m_program = new(folder);

    /// <summary>Runs an operation.</summary>
    /// <param name="operation">Which.</param>
    /// <param name="step">On what.</param>
    /// <param name="token">Kills it.</param>
    /// <param name="isMeasured">Whether anybody asks what it costs.</param>
    /// <param name="life">When it is killed if it has not ended, unless it is measured; null for never.</param>
    public async Task<ProgramEnd> RunAsync(
        TimedOperation operation,
        Step step,
        CancellationToken token,
        bool isMeasured = true,
        TimeSpan? life = null
    )
    {
        var home = Directory.CreateDirectory(Path.Combine(folder, "home", contender.Name)).FullName;
        var words = CoreCommandLine.Words(contender, operation, step, options);
        var environment = CoreCommandLine.Environment(home);
        foreach (var (name, value) in contender.Environment)
            environment[name] = value;
        var end = isMeasured
            ? await m_program.RunAsync(words, environment, token)
            : await RunProgram.ToEndAsync(RunProgram.Start(words, environment), "", life, token);
        // Whoever interrupts a run from a terminal interrupts the program as well; that is no failure of the program.
        if (!end.IsSuccess)
            token.ThrowIfCancellationRequested();
        return end;
    }
}

/// <summary>
/// One round of one contender: a backup, more of them with a tenth of the files changed, and then the other operations in their order. What
/// is not to be timed is run only where later operations need it.
/// </summary>
internal sealed class ContenderRound(Peer contender, int round, EndToEndOptions options, EndToEndStore store, TextWriter log)
{
    /// <summary>Where the database goes that has all versions, unless there is one; null if nobody needs it.</summary>
    public string? Recorded { get; init; }

    /// <summary>Runs the round in a new folder.</summary>
    /// <returns>False if the contender failed, which the store then knows.</returns>
    public async Task<bool> RunAsync(string source, string folder, CancellationToken token)
    {
        Directory.CreateDirectory(folder);
        var tree = Path.Combine(folder, "source");
        await ChangedTree.CopyAsync(source, tree, token);
        var step = new Step(Path.Combine(folder, "remote"), Path.Combine(folder, "local.sqlite"), tree);
        var program = new ContenderProgram(contender, options, folder);
        if (!await MakeVersionsAsync(program, step, tree, token))
            return false;
        if (Recorded is { } recorded && !File.Exists(recorded))
            File.Copy(step.Database, recorded);
        return await UseVersionsAsync(program, step, folder, token);
    }

    private async Task<bool> MakeVersionsAsync(ContenderProgram program, Step step, string tree, CancellationToken token)
    {
        if (!await RunAsync(program, TimedOperation.Backup, step, token))
            return false;
        for (var version = 1; version < options.Versions; version++)
        {
            ChangedTree.ChangeTenth(tree, options.Seed + version - 1);
            if (!await RunAsync(program, TimedOperation.Changed, step, token))
                return false;
        }

        return !IsTimed(TimedOperation.Unchanged) || await RunAsync(program, TimedOperation.Unchanged, step, token);
    }

    private async Task<bool> UseVersionsAsync(ContenderProgram program, Step step, string folder, CancellationToken token)
    {
        // The oldest goes first, and the last deletion takes all that are left.
        var last = IsTimed(TimedOperation.Delete) ? options.Versions - 2 : options.Versions - 1;
        var all = FormattableString.Invariant($"{(last > 0 ? "0-" : "")}{last}");
        // A restore has a database that was made anew just before.
        var used = IsTimed(TimedOperation.Recreate) ? step with { Database = Path.Combine(folder, "recreated.sqlite") } : step;
        (TimedOperation Operation, Step Step)[] steps =
        [
            (TimedOperation.Recreate, used),
            (TimedOperation.Restore, used with { Folder = Path.Combine(folder, "restored") }),
            (TimedOperation.List, step),
            (TimedOperation.Test, step),
            (TimedOperation.Delete, step with { Versions = FormattableString.Invariant($"{options.Versions - 1}") }),
            (TimedOperation.Compact, step),
            (TimedOperation.DeleteAll, step with { Versions = all }),
        ];
        foreach (var (operation, chosen) in steps.Where(entry => IsTimed(entry.Operation)))
        {
            if (!await RunAsync(program, operation, chosen, token))
                return false;
            if (operation == TimedOperation.Restore && TreeManifest.Difference(step.Folder, chosen.Folder) is { } difference)
                return await FailAsync(operation, null, [difference]);
        }

        return true;
    }

    private bool IsTimed(TimedOperation operation) => options.Operations.Contains(operation.Key);

    private async Task<bool> RunAsync(ContenderProgram program, TimedOperation operation, Step step, CancellationToken token)
    {
        var end = await program.RunAsync(operation, step, token);
        if (!end.IsSuccess)
            return await FailAsync(operation, end.Result?.ExitCode, end.Lines);

        var result = end.Result! with { Round = round };
        if (IsTimed(operation))
            store.Add(contender.Name, operation, result);
        await log.WriteLineAsync(
            FormattableString.Invariant(
                $"{round}/{options.Repeat} {contender.Name, -11} {operation.Title, -20} {result.WallSeconds, 8:F2} s wall {result.CpuSeconds, 8:F2} s cpu {result.PeakBytes / 1048576.0, 8:F0} MiB{(IsTimed(operation) ? "" : " (needed, not reported)")}"
            )
        );
        return true;
    }

    private async Task<bool> FailAsync(TimedOperation operation, int? exitCode, IReadOnlyList<string> lines)
    {
        store.Add(new StepFailure(contender.Name, operation.Title, round, exitCode, lines));
        await log.WriteLineAsync(
            FormattableString.Invariant(
                $"{round}/{options.Repeat} {contender.Name, -11} {operation.Title, -20} failed{(exitCode is { } code ? $" with exit code {code}" : "")}; it is left out from here on. {string.Join('\n', lines)}"
            )
        );
        return false;
    }
}

/// <summary>
/// Backs one small file up and restores it, so that a program that is missing or does not work is found before anything else.
/// </summary>
internal sealed class ContenderTrial(EndToEndOptions options, string folder, TextWriter log)
{
    private const string Release = "2.3.0.109";

    // What a build says that nobody has stamped with a release: it tells nothing.
    private const string Unstamped = "1.0.0.0";

    private const long SmallestVolume = 1024 * 1024;

    /// <summary>Tries all contenders.</summary>
    /// <param name="found">Told what each is.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="EndToEndException">One does not work.</exception>
    public async Task RunAllAsync(Action<string, string> found, CancellationToken token)
    {
        if (options.Peers.Count > 0 && options.VolumeSize < SmallestVolume)
            await log.WriteLineAsync("Warning: a release of Duplicati makes no volumes under 1 MB, whatever --dblock-size says.");
        foreach (var contender in Peer.Contenders(options))
            found(contender.Name, await RunAsync(contender, token));
    }

    // Returns what it is, with its release.
    private async Task<string> RunAsync(Peer contender, CancellationToken token)
    {
        var place = Directory.CreateDirectory(Path.Combine(folder, "trial")).FullName;
        var program = new ContenderProgram(contender, options, folder);
        var source = Directory.CreateDirectory(Path.Combine(place, "source")).FullName;
        await File.WriteAllTextAsync(Path.Combine(source, "small.txt"), "A small file.", token);
        var step = new Step(Path.Combine(place, "remote"), Path.Combine(place, "local.sqlite"), source);
        await RunAsync(program, contender, TimedOperation.Backup, step, token);
        var version = await VersionAsync(step.Remote, token);
        await RunAsync(program, contender, TimedOperation.Restore, step with { Folder = Path.Combine(place, "restored") }, token);
        if (TreeManifest.Difference(source, Path.Combine(place, "restored")) is { } difference)
            throw new EndToEndException($"{contender.Name} is no program to time: it restored a small file wrongly. {difference}");

        Directory.Delete(place, recursive: true);
        if (!options.Peers.Contains(contender))
            return $"the engine of this repository, commit {RunEnvironment.CurrentCommit}";
        var command = string.Join(' ', contender.Command.Select(Path.GetFileName));
        if (version == Unstamped)
            return command;
        if (version != Release)
            await log.WriteLineAsync($"Warning: {contender.Name} is release {version}; this was made for {Release}.");
        return $"release {version}, {command}";
    }

    private static async Task RunAsync(
        ContenderProgram program,
        Peer contender,
        TimedOperation operation,
        Step step,
        CancellationToken token
    )
    {
        var end = await program.RunAsync(operation, step, token);
        if (!end.IsSuccess)
            throw new EndToEndException(
                $"{contender.Name} cannot be timed: {contender.Command[0]}, asked to {operation.Key} a small file, {end.Text}. {string.Join('\n', end.Lines)}"
            );
    }

    // Every volume says which release wrote it.
    private async Task<string> VersionAsync(string remote, CancellationToken token)
    {
        var (path, name) = Directory
            .EnumerateFiles(remote)
            .Select(file => (Path: file, Name: VolumeName.Parse(Path.GetFileName(file))))
            .FirstOrDefault(file => file.Name is { Type: RemoteVolumeType.Files });
        if (name is null)
            throw new EndToEndException($"A backup of a small file left no file list in {remote}.");
        var stream = await VolumeOpener.OpenAsync(() => VolumeOpener.OpenFile(path), name, options.Passphrase, isDamaged: false, token);
        using var reader = FilelistReader.Open(stream, name.FileName);
        return reader.Manifest.AppVersion;
    }
}
