// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Common.IO;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>Alternate data streams: <c>folder\file:stream</c>, on Windows only. Elsewhere a colon is a letter like any other.</summary>
internal sealed class AlternateStreams
{
    private readonly Func<string, bool>? m_isStream;

    /// <param name="isStream">Tells streams; null if the system has none.</param>
    internal AlternateStreams(Func<string, bool>? isStream) => m_isStream = isStream;

    /// <summary>Those of the running system.</summary>
    internal static AlternateStreams OfSystem { get; } = new(OperatingSystem.IsWindows() ? SystemIO.IO_OS.IsAlternateDataStream : null);

    /// <summary>No path is a stream.</summary>
    internal static AlternateStreams None { get; } = new(null);

    /// <summary>Whether any path can be one.</summary>
    internal bool Exist => m_isStream is not null;

    /// <summary>Whether the path is one.</summary>
    internal bool IsStream(string path) => m_isStream is not null && m_isStream(path);

    /// <summary>The file or folder that a stream belongs to: all before the last colon.</summary>
    internal static string ParentOf(string stream)
    {
        var colon = stream.LastIndexOf(':');
        return colon < 0 ? stream : stream[..colon];
    }
}
