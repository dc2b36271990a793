// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Local;

/// <summary>
/// Marks the assembly and the namespace that hold the schema of the local backup database: the base schema and the
/// numbered scripts are resources below this namespace.
/// </summary>
public static class DatabaseSchemaMarker { }
