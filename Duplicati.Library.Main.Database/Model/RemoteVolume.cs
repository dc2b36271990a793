// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable disable // the baseline has no nullability here

using System;
using Duplicati.Library.Interface;

namespace Duplicati.Library.Main.Database;

/// <summary>A file at the backup destination. Two objects are equal only if they are the same object.</summary>
public class RemoteVolume : IRemoteVolume
{
    /// <summary>Makes a volume from an entry of a listing of the destination.</summary>
    /// <param name="file">The entry, kept in <see cref="File"/>.</param>
    /// <param name="hash">The Base64 file hash, if it is known.</param>
    public RemoteVolume(IFileEntry file, string hash = null)
        : this(file?.Name, hash, file?.Size ?? throw new ArgumentNullException(nameof(file))) => File = file;

    /// <summary>Makes a volume from what the database knows.</summary>
    /// <param name="name">The file name.</param>
    /// <param name="hash">The Base64 file hash.</param>
    /// <param name="size">The size in bytes.</param>
    public RemoteVolume(string name, string hash, long size)
    {
        Name = name;
        Hash = hash;
        Size = size;
    }

    /// <inheritdoc/>
    public string Name { get; private set; }

    /// <inheritdoc/>
    public string Hash { get; private set; }

    /// <inheritdoc/>
    public long Size { get; private set; }

    /// <summary>The entry of the listing; null for a volume that was read from the database.</summary>
    public IFileEntry File { get; private set; }
}
