#nullable enable

using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Testing;

/// <summary>The blocks of a block volume, or those an index volume names for it, by hash.</summary>
internal sealed class FoundBlocks(DatabaseSession session, string volume)
    : ComparisonList(session, volume, TestingTables.Blocklist, ListSql.AddBlock), LocalTestDatabase.IBlocklist
{
    public Task AddBlockAsync(string key, long value, CancellationToken token) =>
        Add((Hash: key, Size: value), static (insert, x) => insert.Bind(1, x.Hash).Bind(2, x.Size), token);

    public IAsyncEnumerable<KeyValuePair<TestEntryStatus, string>> CompareAsync(CancellationToken token) => Session.SnapshotAsync(
        session =>
        {
            var differences = new List<KeyValuePair<TestEntryStatus, string>>();
            VolumeContent.Of(session).FillBlocks(Volume);
            Collect(differences, TestEntryStatus.Missing, ListSql.MissingBlocks);
            Collect(differences, TestEntryStatus.Extra, ListSql.ExtraBlocks);
            Collect(differences, TestEntryStatus.Modified, ListSql.ModifiedBlocks);
            return differences;
        },
        token);
}
