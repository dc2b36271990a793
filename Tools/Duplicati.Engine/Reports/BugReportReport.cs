// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Reports;

/// <summary>A bug report that was made.</summary>
/// <param name="Path">The file.</param>
/// <param name="Bytes">Its size.</param>
/// <param name="DatabaseBytes">Size of the scrubbed database, in the file or the file itself.</param>
public sealed record BugReportReport(string Path, long Bytes, long DatabaseBytes);
