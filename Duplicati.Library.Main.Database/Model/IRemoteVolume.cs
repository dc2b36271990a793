// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable disable // the baseline has no nullability here

namespace Duplicati.Library.Main.Database;

/// <summary>A file at the backup destination, as far as the database knows it.</summary>
public interface IRemoteVolume
{
    /// <summary>The file name.</summary>
    string Name { get; }

    /// <summary>The Base64 file hash of the uploaded file; null or empty while it is not known.</summary>
    string Hash { get; }

    /// <summary>The size of the uploaded file in bytes, -1 while it is not known.</summary>
    long Size { get; }
}
