// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Reports;

/// <summary>What an upgrade did.</summary>
/// <param name="From">Schema version before.</param>
/// <param name="To">Schema version after.</param>
/// <param name="IndexesCompleted">Indexes that an interrupted operation had left out, and that are there now.</param>
public sealed record UpgradeReport(long From, long To, int IndexesCompleted);
