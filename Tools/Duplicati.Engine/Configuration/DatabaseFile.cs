// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Library.Interface;

namespace Duplicati.Engine.Configuration;

/// <summary>Checks on the database file before anything opens it.</summary>
internal static class DatabaseFile
{
    /// <summary>Fails when there is no database, instead of making an empty one.</summary>
    /// <exception cref="UserInformationException">Help id <c>DatabaseDoesNotExist</c>.</exception>
    internal static void RequireExists(string path)
    {
        if (!File.Exists(path))
            throw new UserInformationException($"The database {path} does not exist. {Advice.NoDatabase()}", "DatabaseDoesNotExist");
    }
}
