// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>Finds the longest folder that all paths lie in, in one pass over their UTF-8 bytes.</summary>
internal sealed class CommonFolder
{
    private readonly byte m_separator;
    private byte[] m_first = [];
    private int m_common = -1;

    /// <param name="separator">A directory separator, one ASCII character.</param>
    internal CommonFolder(string separator) => m_separator = (byte)separator[0];

    /// <summary>Takes one more path into account.</summary>
    internal void Add(ReadOnlySpan<byte> path)
    {
        if (m_common < 0)
        {
            m_first = path.ToArray();
            m_common = path.Length;
            return;
        }

        m_common = m_first.AsSpan(0, m_common).CommonPrefixLength(path);
    }

    /// <summary>The folder with its trailing separator; empty if there is none.</summary>
    public override string ToString()
    {
        var end = m_common <= 0 ? -1 : m_first.AsSpan(0, m_common).LastIndexOf(m_separator);
        return System.Text.Encoding.UTF8.GetString(m_first, 0, end + 1);
    }
}
