// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Library.Main;

/// <summary>A path with its sizes.</summary>
internal class ListResultFile(string path, IEnumerable<long>? sizes) : IListResultFile
{
    public string Path { get; } = path;
    public IEnumerable<long>? Sizes { get; } = sizes;
}
