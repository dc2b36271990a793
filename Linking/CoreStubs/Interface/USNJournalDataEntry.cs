// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Interface;

/// <summary>How far the change journal of a volume was read.</summary>
public class USNJournalDataEntry
{
    /// <summary>The volume.</summary>
    public string Volume { get; set; } = "";

    /// <summary>The journal.</summary>
    public long JournalId { get; set; }

    /// <summary>The first record not read.</summary>
    public long NextUsn { get; set; }

    /// <summary>A hash of the settings the journal was read with.</summary>
    public string ConfigHash { get; set; } = "";
}
