// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>What a statement that is about to run can do; see <see cref="StatementWatch"/>.</summary>
internal enum StatementKind
{
    /// <summary>It changes nothing.</summary>
    Asks,

    /// <summary>It may change rows or tables, or set, release or go back to a savepoint.</summary>
    Changes,

    /// <summary>It commits the transaction.</summary>
    Commits,

    /// <summary>It rolls the whole transaction back.</summary>
    RollsBack,
}
