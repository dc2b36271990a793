// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Operations;

/// <summary>The statements of <see cref="VacuumOperation"/>.</summary>
internal static class VacuumSql
{
    /// <summary>Rewrites the whole file.</summary>
    internal const string VACUUM = "VACUUM";

    /// <summary>Moves the rewritten pages from the log into the file, so that it shrinks at once.</summary>
    internal const string EMPTY_LOG = "PRAGMA wal_checkpoint(TRUNCATE)";
}

/// <summary>The statements of <see cref="BugReportOperation"/>.</summary>
internal static class BugReportSql
{
    /// <summary>Reads the whole file, as of one moment, while others go on writing.</summary>
    internal const string COPY = "VACUUM INTO $target";
}
