#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Testing;

/// <summary>The files of a list volume, by full path.</summary>
internal sealed class FoundFiles(DatabaseSession session, string volume)
    : ComparisonList(session, volume, TestingTables.Filelist, ListSql.AddFile), LocalTestDatabase.IFilelist
{
    // What has no content has no length either.
    private const long NoSize = -1;

    public Task AddAsync(string path, long size, string? hash, long metasize, string? metahash, IEnumerable<string> blocklistHashes, FilelistEntryType type, DateTime time, CancellationToken token) => Add(
        (List: this, Path: path, Size: hash is null ? NoSize : size, Hash: hash, Metasize: metasize, Metahash: metahash),
        static (insert, x) => insert.Bind(1, x.Path).Bind(2, x.List.Serial).Bind(3, x.Size).Bind(4, x.Hash).Bind(5, x.Metasize).Bind(6, x.Metahash),
        token);

    public IAsyncEnumerable<KeyValuePair<TestEntryStatus, string>> CompareAsync(CancellationToken token) => Session.SnapshotAsync(
        session =>
        {
            var differences = new List<KeyValuePair<TestEntryStatus, string>>();
            TestingTables.ComparedFile.Reset(session);
            using (var fill = session.Take(ListSql.FillFiles))
                fill.Bind(1, Volume).Execute();
            Collect(differences, TestEntryStatus.Missing, ListSql.MissingFiles);
            Collect(differences, TestEntryStatus.Extra, ListSql.ExtraFiles);
            Collect(differences, TestEntryStatus.Modified, ListSql.ModifiedFiles);
            // As big as the list itself, and of no use to the next comparison.
            TestingTables.ComparedFile.Reset(session);
            return differences;
        },
        token);
}
