// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.SQLiteHelper.Migrations;

/// <summary>The statements of creation, upgrade and safety copy.</summary>
internal static class MigrationsSql
{
    /// <summary>Takes the write lock at once, so that what is read next cannot change before it is written.</summary>
    public const string BEGIN = "BEGIN IMMEDIATE";

    /// <summary>Ends the transaction.</summary>
    public const string COMMIT = "COMMIT";

    /// <summary>Undoes the transaction.</summary>
    public const string ROLLBACK = "ROLLBACK";

    /// <summary>The copy stands for itself, without a -wal beside it. Rewrites the first page.</summary>
    public const string USE_ROLLBACK_JOURNAL = "PRAGMA journal_mode = DELETE";

    /// <summary>Reads every page once; one row "ok" if all of them hold together.</summary>
    public const string QUICK_CHECK = "PRAGMA quick_check(1)";
}
