// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.IO;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Records;

/// <summary>Makes a copy of a database fit to be shown to others: sizes and structure stay, names and texts go.</summary>
internal static class Obfuscation
{
    /// <summary>
    /// Replaces each path by its length and its number in order, in table FixedFile, and removes the paths, the passphrase, the
    /// metadata texts and all messages with paths. The file still holds them until it has been written anew. Does not commit.
    /// </summary>
    internal static void Run(DatabaseSession session)
    {
        var separator = Path.DirectorySeparatorChar.ToString();
        ReportTables.PathMap.Reset(session);
        session.Run(BugReportSql.NumberPaths);
        session.Run(BugReportSql.EraseMessages);
        session.Run(BugReportSql.EraseExceptions);
        session.Run(BugReportSql.ErasePassphrase);
        session.Run(BugReportSql.EraseMetadata);
        session.Execute(BugReportSql.CreateFixedFile);
        using (var fill = session.Take(BugReportSql.FillFixedFile))
            fill.Bind(1, OperatingSystem.IsWindows() ? @"X:\" : "/").Bind(2, separator).ExecuteNonQuery();
        session.Execute(BugReportSql.DropPaths);
        // With a temporary table, writing the file anew would take as much memory as the file has.
        session.Run(BugReportSql.DropPathMap);
    }
}

/// <summary>The temporary tables of bug reports. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class ReportTables
{
    internal static readonly TempTable PathMap = new("PathMap", BugReportSql.CreatePathMap, BugReportSql.ClearPathMap);
}
