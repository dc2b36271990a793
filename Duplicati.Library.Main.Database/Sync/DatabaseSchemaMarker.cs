// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Sync;

/// <summary>
/// Marks the assembly and the namespace that hold the schema of the remote synchronization database, which has no
/// upgrade scripts yet.
/// </summary>
public static class DatabaseSchemaMarker { }
