// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Changes;

/// <summary>How many elements of each type changed in one way, and their sizes together.</summary>
internal sealed class ChangesTally
{
    private readonly long[] m_counts = new long[3];

    internal long Folders => m_counts[0];

    internal long Symlinks => m_counts[1];

    internal long Files => m_counts[2];

    /// <summary>Bytes; folders and links count as -1.</summary>
    internal long Size { get; private set; }

    /// <summary>Counts the rows of a statement that delivers type and size first and third.</summary>
    internal static ChangesTally Of(Statement rows)
    {
        var result = new ChangesTally();
        while (rows.Read())
        {
            result.m_counts[rows.GetInt64(0)]++;
            result.Size += rows.GetInt64(2);
        }

        return result;
    }
}

/// <summary>Counts and sizes of a comparison, found together, because the reports about it ask for the same rows.</summary>
/// <param name="Added">What is in the newer list only.</param>
/// <param name="Deleted">What is in the older list only.</param>
/// <param name="Modified">What is in both and differs.</param>
/// <param name="Transaction">The session's count of transactions when it was found: with another one the lists may have vanished.</param>
internal sealed record ChangesSummary(ChangesTally Added, ChangesTally Deleted, ChangesTally Modified, long Transaction);

/// <summary>
/// The temporary tables of comparing two versions. Each has a primary key or an index for every column that it is joined on.
/// </summary>
internal static class ChangeTables
{
    // {0} stands for the digits that end the names of both tables. Type: 0 folder, 1 symbolic link, 2 file.

    // Indexed by path, which a damaged list may have twice.
    private const string CreatePrevious = """
        CREATE TEMP TABLE "Previous-{0}" ("Path" TEXT NOT NULL, "FileHash" TEXT NULL, "MetaHash" TEXT NOT NULL, "Size" INTEGER NOT NULL, "Type" INTEGER NOT NULL);
        CREATE INDEX temp."Previous-{0}-Path" ON "Previous-{0}" ("Path")
        """;

    // Indexed by path, which a damaged list may have twice.
    private const string CreateCurrent = """
        CREATE TEMP TABLE "Current-{0}" ("Path" TEXT NOT NULL, "FileHash" TEXT NULL, "MetaHash" TEXT NOT NULL, "Size" INTEGER NOT NULL, "Type" INTEGER NOT NULL);
        CREATE INDEX temp."Current-{0}-Path" ON "Current-{0}" ("Path")
        """;

    internal static readonly TempTableTemplate Previous = new("Previous", CreatePrevious);
    internal static readonly TempTableTemplate Current = new("Current", CreateCurrent);
}
