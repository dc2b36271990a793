// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Session;

/// <summary>In-memory answers that rest on rows of the open transaction.</summary>
internal interface ITransactionCache
{
    /// <summary>Forgets every answer that rests on uncommitted rows. Called after a rollback, with the connection lock held.</summary>
    void Discard();
}
