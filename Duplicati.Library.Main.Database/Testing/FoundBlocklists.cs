#nullable enable

using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Testing;

/// <summary>The blocklists stored in an index volume, by hash and size: one of another size is both missing and extra.</summary>
internal sealed class FoundBlocklists(DatabaseSession session, string volume)
    : ComparisonList(session, volume, TestingTables.BlocklistHashList, ListSql.AddBlocklist), LocalTestDatabase.IBlocklistHashList
{
    public Task AddBlockHashAsync(string hash, long size, CancellationToken token) =>
        Add((Hash: hash, Size: size), static (insert, x) => insert.Bind(1, x.Hash).Bind(2, x.Size), token);

    public IAsyncEnumerable<KeyValuePair<TestEntryStatus, string>> CompareAsync(int hashesPerBlock, int hashSize, int blockSize, CancellationToken token) => Session.SnapshotAsync(
        session =>
        {
            var differences = new List<KeyValuePair<TestEntryStatus, string>>();
            VolumeContent.Of(session).FillBlocklists(Volume, hashesPerBlock, hashSize, blockSize);
            Collect(differences, TestEntryStatus.Missing, ListSql.MissingBlocklists);
            Collect(differences, TestEntryStatus.Extra, ListSql.ExtraBlocklists);
            return differences;
        },
        token);
}
