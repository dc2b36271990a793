using System.Text.Json;
using Duplicati.Engine.Errors;
using Duplicati.Library.Interface;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Crosswise;

/// <summary>Things done one after the other, of which later ones need earlier ones.</summary>
/// <param name="log">Told each outcome.</param>
/// <param name="title">Who does it.</param>
internal sealed class CrossChain(TextWriter log, string title)
{
    private readonly List<CrossCell> m_cells = [];
    private bool m_broken;

    /// <summary>What came of each.</summary>
    public IReadOnlyList<CrossCell> Cells => m_cells;

    /// <summary>Does one thing, unless one failed that all later ones need.</summary>
    /// <param name="what">Its name.</param>
    /// <param name="run">Does it, and says what is wrong.</param>
    /// <param name="isNeeded">Whether later ones need it.</param>
    public async Task TryAsync(string what, Func<Task<IReadOnlyList<string>>> run, bool isNeeded = true)
    {
        var wrong = m_broken ? [] : await RunAsync(run).ConfigureAwait(false);
        var outcome = m_broken ? CrossOutcome.NotTried : wrong.Count > 0 ? CrossOutcome.Wrong : CrossOutcome.Good;
        m_broken |= isNeeded && wrong.Count > 0;
        m_cells.Add(new CrossCell(what, outcome, wrong));
        await log.WriteLineAsync($"{title}: {what} {CrossReport.Word(outcome)}").ConfigureAwait(false);
        foreach (var line in wrong)
            await log.WriteLineAsync($"  {line}").ConfigureAwait(false);
    }

    // What a program left behind may be anything.
    private static async Task<IReadOnlyList<string>> RunAsync(Func<Task<IReadOnlyList<string>>> run)
    {
        try
        {
            return await run().ConfigureAwait(false);
        }
        catch (Exception ex) when (ex is UserInformationException or SqliteException or VolumeException or IOException or JsonException or InvalidDataException or UnauthorizedAccessException)
        {
            return [ex.Message];
        }
    }
}
