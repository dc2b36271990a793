// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Main;

/// <summary>The metadata of an entry, as stored.</summary>
internal interface IMetahash
{
    /// <summary>The Base64 file hash of <see cref="Blob"/>.</summary>
    string FileHash { get; }

    /// <summary>The JSON text in UTF-8 with a byte order mark.</summary>
    byte[] Blob { get; }

    /// <summary>The metadata itself.</summary>
    Dictionary<string, string> Values { get; }
}
