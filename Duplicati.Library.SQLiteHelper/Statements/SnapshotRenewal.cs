// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>
/// What becomes of a transaction that has read and cannot write, because another connection writes, or has committed since it began to
/// read.
/// </summary>
internal enum SnapshotRenewal
{
    /// <summary>It stays; the lock may come free.</summary>
    Kept,

    /// <summary>It has ended, and the next one has begun: the statement can be run again.</summary>
    Renewed,

    /// <summary>It stays and cannot write: what the caller was told in it may be outdated.</summary>
    Refused,
}
