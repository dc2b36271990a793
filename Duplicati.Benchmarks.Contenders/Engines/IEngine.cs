// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Contenders.Engines;

/// <summary>A store of rows by their hash, open on a file of its own. A commit that returned survives a power loss; closing it
/// brings its log into the file.</summary>
internal interface IEngine : IDisposable
{
    /// <summary>Version of what keeps the data.</summary>
    string Version { get; }

    /// <summary>What it is set to, as read back.</summary>
    string Settings { get; }

    /// <summary>What a thread works with; each thread has its own.</summary>
    IEngineSession OpenSession();

    /// <summary>Volume, number of rows and sum of sizes of each volume in order, folded.</summary>
    long Sum();
}

/// <summary>The connection of a thread.</summary>
internal interface IEngineSession : IDisposable
{
    /// <summary>Adds the rows with these numbers in one durable commit.</summary>
    /// <exception cref="EngineFaultException">The engine fails at what it should be able to do.</exception>
    void Insert(int first, int count);

    /// <summary>Size and volume of the rows with these keys, folded; of several keys in one snapshot. All of them are there.</summary>
    /// <exception cref="EngineFaultException">The engine does not find one, or fails.</exception>
    long Read(ReadOnlySpan<string> keys);
}

/// <summary>An engine fails at what it should be able to do, or does not find a row that was committed before it was asked.</summary>
internal sealed class EngineFaultException(string message, Exception? inner = null) : Exception(message, inner);
