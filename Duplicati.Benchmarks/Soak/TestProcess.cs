using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Duplicati.Benchmarks.Soak;

/// <summary>Runs a long test in a process of its own.</summary>
/// <param name="project">The project of the tests.</param>
internal sealed partial class TestProcess(string project)
{
    /// <summary>What the tests take their seed from.</summary>
    internal const string SeedVariable = "DUPLICATI_SOAK_SEED";

    /// <summary>What the tests take from how many they are to do.</summary>
    internal const string CountVariable = "DUPLICATI_SOAK_COUNT";

    private const int MostText = 4000;

    /// <summary>Builds the tests.</summary>
    /// <returns>False if they cannot be built; the reasons are on the error stream.</returns>
    public async Task<bool> BuildAsync(CancellationToken token) => (await RunAsync(["build", project, "-c", "Release", "--nologo", "-v", "quiet"], 0, 0, token).ConfigureAwait(false)).Code == 0;

    /// <summary>Runs one round.</summary>
    /// <param name="row">Which test.</param>
    /// <param name="seed">Its seed.</param>
    /// <param name="count">How many.</param>
    /// <param name="token">Kills the process.</param>
    /// <returns>Null if it passed, or what it said.</returns>
    public async Task<string?> RoundAsync(SoakRow row, int seed, long count, CancellationToken token)
    {
        var (code, output) = await RunAsync(["test", project, "-c", "Release", "--no-build", "--nologo", "--filter", $"TestCategory=Long&FullyQualifiedName~.{row.Test}"], seed, count, token).ConfigureAwait(false);
        // A filter that fits nothing passes, too.
        if (code == 0 && Passed().IsMatch(output))
            return null;
        return output.Length > MostText ? output[..MostText] : output;
    }

    private static async Task<(int Code, string Output)> RunAsync(string[] words, int seed, long count, CancellationToken token)
    {
        var start = new ProcessStartInfo("dotnet", words) { RedirectStandardOutput = true, UseShellExecute = false };
        start.Environment[SeedVariable] = seed.ToString(CultureInfo.InvariantCulture);
        start.Environment[CountVariable] = count.ToString(CultureInfo.InvariantCulture);
        using var process = Process.Start(start)!;
        try
        {
            var output = await process.StandardOutput.ReadToEndAsync(token).ConfigureAwait(false);
            await process.WaitForExitAsync(token).ConfigureAwait(false);
            return (process.ExitCode, output);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            throw;
        }
    }

    [GeneratedRegex("Passed: +[1-9]")]
    private static partial Regex Passed();
}
