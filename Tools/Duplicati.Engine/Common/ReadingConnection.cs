// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Library.SQLiteHelper.Connections;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Common;

/// <summary>
/// A connection to a database of any kind that changes nothing: in the way the current call chain reads the file, see
/// <see cref="DatabaseReading"/>, else in one of its own.
/// </summary>
internal sealed class ReadingConnection : IDisposable
{
    private readonly ReadOnlyFile? m_own;

    /// <exception cref="IOException">The file does not exist or cannot be read.</exception>
    /// <exception cref="SqliteException">The file cannot be opened.</exception>
    internal ReadingConnection(string path)
    {
        var file = ReadOnlyFile.InUse(path) ?? (m_own = ReadOnlyFile.Look(path));
        try
        {
            Connection = file.Open();
        }
        catch
        {
            m_own?.Dispose();
            throw;
        }
    }

    internal SqliteConnection Connection { get; }

    public void Dispose()
    {
        Connection.Dispose();
        m_own?.Dispose();
    }
}
