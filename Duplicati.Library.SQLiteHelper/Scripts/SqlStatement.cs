// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.SQLiteHelper.Scripts;

/// <summary>How a statement of a script behaves towards transactions.</summary>
internal enum SqlStatementKind
{
    /// <summary>Runs in the transaction.</summary>
    Ordinary,

    /// <summary>Begins or ends a transaction of the script's own.</summary>
    TransactionControl,

    /// <summary>Cannot run in a transaction.</summary>
    Vacuum,

    /// <summary>May have no effect in a transaction.</summary>
    Pragma,
}

/// <summary>One statement of a script.</summary>
/// <param name="Text">The statement from its first to its last token, without the semicolon that ends it.</param>
/// <param name="Kind">How it behaves towards transactions.</param>
internal readonly record struct SqlStatement(string Text, SqlStatementKind Kind);
