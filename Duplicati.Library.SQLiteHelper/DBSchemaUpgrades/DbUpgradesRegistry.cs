// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable disable

using System.Collections.Generic;
using Duplicati.Library.SQLiteHelper.DBUpdates;

namespace Duplicati.Library.SQLiteHelper.DBSchemaUpgrades;

/// <summary>The code that goes with schema versions.</summary>
internal class DbUpgradesRegistry
{
    /// <summary>Code by the version it leads to. One list for every kind of database; no version needs code so far.</summary>
    public static readonly IDictionary<int, IDbSchemaUpgrade> CodeChanges = new Dictionary<int, IDbSchemaUpgrade>();
}
