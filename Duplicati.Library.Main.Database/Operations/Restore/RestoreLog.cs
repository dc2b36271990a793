// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>Messages of a restore carry the tag of the API's type, whatever part writes them.</summary>
internal static class RestoreLog
{
    internal static readonly string Tag = Logging.Log.LogTagFromType<LocalRestoreDatabase>();
}
