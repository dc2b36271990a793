// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Volumes;

/// <summary>Writes the container of a volume, entry by entry. It is complete once this is disposed, which closes its target.</summary>
internal interface IContainerWriter : IDisposable
{
    /// <summary>The bytes that the entries so far take, without what ends the container.</summary>
    long Length { get; }

    /// <summary>Writes an entry.</summary>
    /// <param name="name">Its full name, ASCII.</param>
    /// <param name="content">Its content.</param>
    /// <param name="compressible">False to store it as it is, where the format can.</param>
    void Write(ReadOnlySpan<byte> name, ReadOnlySpan<byte> content, bool compressible);

    /// <summary>Starts an entry of unknown length. It must be closed before the next one starts.</summary>
    /// <param name="name">Its full name.</param>
    Stream CreateEntry(string name);
}
