// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Reliability.PowerLoss;

/// <summary>Something that is done to a database while the power fails.</summary>
internal abstract class PowerLossCase : IDisposable
{
    /// <summary>The name of the database file.</summary>
    internal const string Database = "backup.sqlite";

    /// <summary>What is done, in a few words.</summary>
    internal abstract string Name { get; }

    /// <summary>Whether what was marked has to be there.</summary>
    internal virtual bool IsDurable => false;

    /// <summary>Makes what is there before.</summary>
    internal abstract Task PrepareAsync(string folder, Random random);

    /// <summary>Does it.</summary>
    internal abstract Task RunAsync(string folder, DiskRecorder recorder);

    /// <summary>Whether a database without any promise is one that nobody takes for a whole one.</summary>
    internal virtual bool MayDamage(string folder) => false;

    /// <summary>What else has to hold; may change the files.</summary>
    /// <param name="folder">Where the state is.</param>
    /// <param name="where">Which state it is.</param>
    /// <param name="number">The number of the state, for checks that are too slow for each.</param>
    internal virtual Task CheckAsync(string folder, string where, int number) => Task.CompletedTask;

    public virtual void Dispose()
    {
        // Most hold nothing.
    }
}
