// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.SQLiteHelper.Migrations.Schemas.Awkward;

/// <summary>A schema whose scripts hold everything that is hard to run in one transaction.</summary>
internal static class SchemaMarker { }
