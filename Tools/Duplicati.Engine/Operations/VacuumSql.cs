// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Operations;

/// <summary>The statements of <see cref="BugReportOperation"/>.</summary>
internal static class BugReportSql
{
    /// <summary>Reads the whole file, as of one moment, while others go on writing.</summary>
    internal const string COPY = "VACUUM INTO $target";
}
