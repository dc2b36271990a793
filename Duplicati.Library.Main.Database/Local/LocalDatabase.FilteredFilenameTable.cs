// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Paths;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalDatabase
{
    /// <summary>
    /// A temporary table with the column Path: the distinct paths of all versions that match a filter. Disposing removes it.
    /// </summary>
    public class FilteredFilenameTable : IDisposable, IAsyncDisposable
    {
        private readonly DatabaseSession m_session;
        private readonly string m_digits;

        /// <summary>Not supported: use the factory, which is asynchronous.</summary>
        /// <exception cref="NotImplementedException">Always.</exception>
        [Obsolete("Use CreateFilteredFilenameTableAsync instead.")]
        public FilteredFilenameTable(SqliteConnection connection, IFilter filter) =>
            throw new NotImplementedException("Use CreateFilteredFilenameTableAsync instead.");

        private FilteredFilenameTable(DatabaseSession session, string digits)
        {
            m_session = session;
            m_digits = digits;
            Tablename = FilenameTables.Filenames.Name(digits);
        }

        /// <summary>The name of the table, without quotes; null after disposal.</summary>
        public string Tablename { get; private set; }

        /// <summary>Makes and fills a table. Commits the shared transaction unless the filter is empty.</summary>
        /// <remarks>
        /// Wildcards compare ASCII letters without case. Nothing of this is written to the file: the commit records the operation only
        /// if something else was.
        /// </remarks>
        public static Task<FilteredFilenameTable> CreateFilteredFilenameTableAsync(
            LocalDatabase db,
            IFilter filter,
            CancellationToken token
        ) =>
            db.Session.LongAsync(
                session =>
                {
                    var table = new FilteredFilenameTable(session, FilenameTables.Filenames.Make(session));
                    try
                    {
                        table.Fill(filter, token);
                        if (!filter.Empty)
                            db.m_rtr.Commit("CreateFilteredFilenameTable", recordOperation: session.Statements.HasUncommittedWrites);
                        return table;
                    }
                    catch
                    {
                        table.Dispose();
                        throw;
                    }
                },
                token
            );

        /// <summary>
        /// Removes the table; errors are ignored, since a table of the connection's own cannot outlive it. May be called more than once.
        /// </summary>
        public void Dispose()
        {
            if (Tablename is null)
                return;

            Tablename = null!;
            m_session.TryRemove(session => FilenameTables.Filenames.Remove(session, m_digits));
            GC.SuppressFinalize(this);
        }

        private void Fill(IFilter filter, CancellationToken token)
        {
            using (new Logging.Timer(LOGTAG, "CreateFilteredFilenameTable", $"Selecting the paths that match {filter}"))
                FilenameFilter.Fill(m_session, m_digits, filter, token);
        }

        /// <summary>Removes the table; see <see cref="Dispose"/>.</summary>
        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
