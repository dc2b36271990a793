#nullable enable

using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Testing;

/// <summary>The block volumes that an index volume describes, by name.</summary>
internal sealed class FoundLinks(DatabaseSession session, string volume)
    : ComparisonList(session, volume, TestingTables.Indexlist, ListSql.AddLink), LocalTestDatabase.IIndexlist
{
    public Task AddBlockLinkAsync(string filename, string hash, long length, CancellationToken token) => Add(
        (List: this, Name: filename, Hash: hash, Size: length),
        static (insert, x) => insert.Bind(1, x.Name).Bind(2, x.List.Serial).Bind(3, x.Hash).Bind(4, x.Size),
        token);

    public IAsyncEnumerable<KeyValuePair<TestEntryStatus, string>> CompareAsync(CancellationToken token) => Session.SnapshotAsync(
        session =>
        {
            session.Flush();
            var differences = new List<KeyValuePair<TestEntryStatus, string>>();
            Collect(differences, TestEntryStatus.Missing, ListSql.MissingLinks, aboutVolume: true);
            Collect(differences, TestEntryStatus.Extra, ListSql.ExtraLinks, aboutVolume: true);
            Collect(differences, TestEntryStatus.Modified, ListSql.ModifiedLinks, aboutVolume: true);
            return differences;
        },
        token);
}
