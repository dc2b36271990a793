// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Changes;

/// <summary>
/// The temporary tables of comparing two versions. Each has a primary key or an index for every column that it is joined on.
/// </summary>
internal static class ChangeTables
{
    internal static readonly TempTableTemplate Previous = new(
        "Previous",
        ChangesSql.CreatePrevious,
        ChangesSql.ClearPrevious,
        ChangesSql.DropPrevious
    );
    internal static readonly TempTableTemplate Current = new(
        "Current",
        ChangesSql.CreateCurrent,
        ChangesSql.ClearCurrent,
        ChangesSql.DropCurrent
    );
}
