// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Interface;

/// <summary>A remote volume in a listing.</summary>
public interface IListResultRemoteVolume
{
    /// <summary>The file name.</summary>
    string Name { get; }
}
