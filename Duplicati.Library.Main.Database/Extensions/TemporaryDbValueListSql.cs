// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database;

/// <summary>The statements of <see cref="TemporaryDbValueList"/>; <c>{0}</c> is the name of its table.</summary>
internal static class TemporaryDbValueListSql
{
    // No index: read once, as the inner side of an IN, which SQLite sorts by itself.
    internal const string CREATE_NUMBERS = """
        CREATE TEMPORARY TABLE "{0}" ("Value" INTEGER)
        """;

    // As above, for text.
    internal const string CREATE_TEXTS = """
        CREATE TEMPORARY TABLE "{0}" ("Value" TEXT)
        """;

    // Appends to the table's own tree.
    internal const string INSERT = """
        INSERT INTO "{0}" ("Value") VALUES (?1)
        """;

    // A full scan of the list, which is the point.
    internal const string SELECT = """
        SELECT "Value" FROM "{0}"
        """;

    // The table is gone already when its transaction was rolled back.
    internal const string DROP = """
        DROP TABLE IF EXISTS "{0}"
        """;
}
