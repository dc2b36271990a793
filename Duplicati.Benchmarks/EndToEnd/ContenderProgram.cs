using Duplicati.Benchmarks.Processes;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>Runs the operations of one contender.</summary>
/// <param name="contender">Who.</param>
/// <param name="options">Sizes and passphrase.</param>
/// <param name="folder">Where its own settings and figures lie.</param>
internal sealed class ContenderProgram(Peer contender, EndToEndOptions options, string folder)
{
    private readonly MeasuredProgram m_program = new(folder);

    /// <summary>Runs an operation. The lines it wrote are without the passphrase.</summary>
    public async Task<ProgramEnd> RunAsync(TimedOperation operation, Step step, CancellationToken token)
    {
        var home = Directory.CreateDirectory(Path.Combine(folder, "home", contender.Name)).FullName;
        var words = CoreCommandLine.Words(contender, operation, step, options);
        var environment = CoreCommandLine.Environment(home);
        foreach (var (name, value) in contender.Environment)
            environment[name] = value;
        var end = await m_program.RunAsync(words, environment, token).ConfigureAwait(false);
        // Whoever interrupts a run from a terminal interrupts the program as well; that is no failure of the program.
        if (!end.IsSuccess)
            token.ThrowIfCancellationRequested();
        return options.Passphrase is { } passphrase ? end with { Lines = [.. end.Lines.Select(line => line.Replace(passphrase, "***", StringComparison.Ordinal))] } : end;
    }
}
