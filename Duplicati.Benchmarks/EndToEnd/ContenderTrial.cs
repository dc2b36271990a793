using Duplicati.Benchmarks.Results;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>Backs one small file up and restores it, so that a program that is missing or does not work is found before anything else.</summary>
internal sealed class ContenderTrial(EndToEndOptions options, string folder, TextWriter log)
{
    private const string Release = "2.3.0.109";
    private const long SmallestVolume = 1024 * 1024;

    /// <summary>Tries all contenders.</summary>
    /// <param name="found">Told what each is.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="EndToEndException">One does not work.</exception>
    public async Task RunAllAsync(Action<string, string> found, CancellationToken token)
    {
        if (options.Peers.Count > 0 && options.VolumeSize < SmallestVolume)
            await log.WriteLineAsync("Warning: a release of Duplicati makes no volumes under 1 MB, whatever --dblock-size says.").ConfigureAwait(false);
        foreach (var contender in Peer.Contenders(options))
            found(contender.Name, await RunAsync(contender, token).ConfigureAwait(false));
    }

    // Returns what it is, with its release.
    private async Task<string> RunAsync(Peer contender, CancellationToken token)
    {
        var place = Directory.CreateDirectory(Path.Combine(folder, "trial")).FullName;
        var program = new ContenderProgram(contender, options, folder);
        var source = Directory.CreateDirectory(Path.Combine(place, "source")).FullName;
        await File.WriteAllTextAsync(Path.Combine(source, "small.txt"), "A small file.", token).ConfigureAwait(false);
        var step = new Step(Path.Combine(place, "remote"), Path.Combine(place, "local.sqlite"), source);
        await RunAsync(program, contender, TimedOperation.Backup, step, token).ConfigureAwait(false);
        var version = await VersionAsync(step.Remote, token).ConfigureAwait(false);
        await RunAsync(program, contender, TimedOperation.Restore, step with { Folder = Path.Combine(place, "restored") }, token).ConfigureAwait(false);
        if (TreeComparer.Difference(source, Path.Combine(place, "restored")) is { } difference)
            throw new EndToEndException($"{contender.Name} is no program to time: it restored a small file wrongly. {difference}");

        Directory.Delete(place, recursive: true);
        if (!options.Peers.Contains(contender))
            return $"the engine of this repository, commit {RunEnvironment.CurrentCommit}";
        if (version != Release)
            await log.WriteLineAsync($"Warning: {contender.Name} is release {version}; this was made for {Release}.").ConfigureAwait(false);
        return $"release {version}, {string.Join(' ', contender.Command.Select(Path.GetFileName))}";
    }

    private static async Task RunAsync(ContenderProgram program, Peer contender, TimedOperation operation, Step step, CancellationToken token)
    {
        var end = await program.RunAsync(operation, step, token).ConfigureAwait(false);
        if (!end.IsSuccess)
            throw new EndToEndException($"{contender.Name} cannot be timed: {contender.Command[0]}, asked to {operation.Key} a small file, {end.Text}. {string.Join('\n', end.Lines)}");
    }

    // Every volume says which release wrote it.
    private async Task<string> VersionAsync(string remote, CancellationToken token)
    {
        var (path, name) = Directory.EnumerateFiles(remote)
            .Select(file => (Path: file, Name: VolumeName.Parse(Path.GetFileName(file))))
            .FirstOrDefault(file => file.Name is { Type: RemoteVolumeType.Files });
        if (name is null)
            throw new EndToEndException($"A backup of a small file left no file list in {remote}.");
        var stream = await VolumeOpener.OpenAsync(path, name, options.Passphrase, token).ConfigureAwait(false);
        using var reader = FilelistReader.Open(stream, name.FileName);
        return reader.Manifest.AppVersion;
    }
}
