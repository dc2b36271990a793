// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Common;

/// <summary>Where an operation tells what it is doing. Implementations may be called from several tasks at once.</summary>
public interface IEngineProgress
{
    /// <summary>Something happened that a user may want to read, such as a volume name that is uploaded.</summary>
    void Message(string text);

    /// <summary>Which file is at hand now: shown with how far the operation is, and as a message only where everything is wanted.</summary>
    void Working(string text) => Message(text);

    /// <summary>Something was left out or is not as it should be; the operation goes on.</summary>
    void Warning(string text);

    /// <summary>
    /// How far the operation is: what it counts (such as volumes; "bytes" are shown as sizes), units done, and units in all (0 while
    /// unknown).
    /// </summary>
    void Advance(string phase, long done, long total);

    /// <summary>What is done for good so far, for whoever is told of a failure or an interruption after it.</summary>
    void Reached(StepReached step) { }
}

/// <summary>How far an operation of several steps has come.</summary>
/// <param name="Done">What is done for good, or that nothing is; a sentence.</param>
/// <param name="Rest">Advice of what does the rest and nothing else; null for the same command once more, empty if nothing is left to
/// do.</param>
public sealed record StepReached(string Done, string? Rest = null)
{
    /// <summary>
    /// Times (local) of the versions that the same command has to name, as their numbers may be those of others by then; none if it names
    /// none.
    /// </summary>
    public IReadOnlyCollection<DateTime> Versions { get; init; } = [];
}

/// <summary>Tells nobody.</summary>
public sealed class SilentProgress : IEngineProgress
{
    /// <summary>The one instance.</summary>
    public static readonly SilentProgress Instance = new();

    private SilentProgress() { }

    /// <inheritdoc/>
    public void Message(string text) { }

    /// <inheritdoc/>
    public void Warning(string text) { }

    /// <inheritdoc/>
    public void Advance(string phase, long done, long total) { }
}
