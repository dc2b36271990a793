// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Reports;

/// <summary>The label that a version has now.</summary>
/// <param name="Time">When the version was made (UTC).</param>
/// <param name="Label">The text; null if it was removed.</param>
public sealed record LabelReport(DateTime Time, string? Label);
