// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Recreate;

[TestFixture]
internal sealed class FilelistTests : RebuildTestBase
{
    private static readonly DateTime Time = new(2021, 2, 3, 4, 5, 6, DateTimeKind.Utc);

    [Test]
    [Contract("B 3.3 AddBlocksetAsync")]
    [Contract("B 9.8 rule 3")]
    public async Task A_known_blockset_is_returned_without_reading_the_sequence()
    {
        var id = await Db.AddBlocksetAsync(Hash(1), 100, [Hash(2)], 1, default);
        Assert.That(await Db.AddBlocksetAsync(Hash(1), 100, Unreadable(), 1, default), Is.EqualTo(id));
        Assert.That(await Db.AddBlocksetAsync(Hash(1), 101, [], 0, default), Is.Not.EqualTo(id));
    }

    [Test]
    [Contract("B 3.3 AddBlocksetAsync")]
    [Contract("B 11.3 row 2")]
    public async Task Blocklist_hashes_are_numbered_without_the_empty_ones_and_cut_at_the_expected_count()
    {
        using var log = new LogCapture();
        var id = await Db.AddBlocksetAsync(Hash(1), 100, [Hash(2), "", Hash(3), Hash(4)], 2, default);
        Assert.That(log.Of(LogMessageType.Warning, "MismatchInBlocklistHashCount"), Has.Count.EqualTo(1));
        Assert.That(
            await CommitAndCountAsync(
                $"""SELECT COUNT(*) FROM BlocklistHash WHERE BlocksetID = {id} AND (("Index" = 0 AND Hash = '{Hash(2)}') OR ("Index" = 1 AND Hash = '{Hash(3)}'))"""
            ),
            Is.EqualTo(2)
        );
        Assert.That(Committed("SELECT COUNT(*) FROM BlocklistHash"), Is.EqualTo(2));
    }

    [Test]
    public async Task Metadata_that_another_call_chain_adds_while_the_sequence_is_read_are_not_added_twice()
    {
        var other = 0L;
        var id = await Db.AddMetadatasetAsync(Hash(1), 100, Lists(), 1, default);
        Assert.That(id, Is.EqualTo(other).And.Positive);
        Assert.That(await CommitAndCountAsync("SELECT COUNT(*) FROM Metadataset"), Is.EqualTo(1));

        IEnumerable<string> Lists()
        {
            other = Db.AddMetadatasetAsync(Hash(1), 100, [], 0, default).GetAwaiter().GetResult();
            yield return Hash(2);
        }
    }

    [Test]
    [Contract("B 3.3 AddBlocksetAsync")]
    [Contract("B 9.8 rule 3")]
    public async Task A_content_that_another_call_chain_adds_while_its_sequence_is_read_is_whole_for_both([Values] bool fails)
    {
        var other = 0L;
        var hashes = Enumerable.Range(0, 1500).Select(x => $"hash{x}").ToList();
        if (fails)
            Assert.That(() => Db.AddBlocksetAsync(Hash(1), 100, Lists(), 1500, default), Throws.TypeOf<InvalidDataException>());
        else
            Assert.That(await Db.AddBlocksetAsync(Hash(1), 100, Lists(), 1500, default), Is.EqualTo(other).And.Positive);

        Assert.That(await CommitAndCountAsync("SELECT COUNT(*) FROM Blockset"), Is.EqualTo(1));
        Assert.That(Committed("""SELECT COUNT(*) FROM BlocklistHash WHERE Hash = 'hash' || "Index" """), Is.EqualTo(1500));

        IEnumerable<string> Lists()
        {
            foreach (var (i, hash) in hashes.Index())
            {
                if (i == 1200)
                    other = Db.AddBlocksetAsync(Hash(1), 100, hashes, 1500, default).GetAwaiter().GetResult();
                if (i == 1300 && fails)
                    throw new InvalidDataException();
                yield return hash;
            }
        }
    }

    // A recreate that is killed after it goes on with what is committed, and takes it for whole.
    [Test]
    public async Task A_commit_while_a_sequence_is_read_keeps_nothing_of_its_content([Values] bool isMetadata)
    {
        var kept = -1L;
        var hashes = Enumerable.Range(0, 1500).Select(x => $"hash{x}").ToList();
        if (isMetadata)
            await Db.AddMetadatasetAsync(Hash(1), 100, Lists(), 1500, default);
        else
            await Db.AddBlocksetAsync(Hash(1), 100, Lists(), 1500, default);

        Assert.That(kept, Is.Zero);
        Assert.That(await CommitAndCountAsync("""SELECT COUNT(*) FROM BlocklistHash WHERE Hash = 'hash' || "Index" """), Is.EqualTo(1500));

        IEnumerable<string> Lists()
        {
            foreach (var (i, hash) in hashes.Index())
            {
                if (i == 1200)
                    kept = CommitAndCountAsync("SELECT COUNT(*) FROM Blockset").GetAwaiter().GetResult();
                yield return hash;
            }
        }
    }

    [Test]
    public async Task Thousands_of_blocklist_hashes_keep_their_order()
    {
        var hashes = Enumerable.Range(0, 5000).Select(x => $"hash{x}").ToList();
        using var log = new LogCapture();
        await Db.AddBlocksetAsync(Hash(1), 100, hashes, hashes.Count, default);
        Assert.That(log.WarningsAndErrors, Is.Empty);
        Assert.That(await CommitAndCountAsync("""SELECT COUNT(*) FROM BlocklistHash WHERE Hash = 'hash' || "Index" """), Is.EqualTo(5000));
    }

    [Test]
    [Contract("B 10 Q17")]
    [Contract("B 9.8 rule 3")]
    public async Task A_sequence_that_fails_half_way_leaves_what_it_gave()
    {
        Assert.That(async () => await Db.AddBlocksetAsync(Hash(1), 100, Unreadable(), 2, default), Throws.TypeOf<InvalidDataException>());
        Assert.That(await CommitAndCountAsync("""SELECT COUNT(*) FROM BlocklistHash WHERE "Index" = 0"""), Is.EqualTo(1));
        Assert.That(Committed("SELECT COUNT(*) FROM Blockset"), Is.EqualTo(1));
    }

    [Test]
    [Contract("B 3.3 AddBlocksetAsync")]
    public async Task A_missing_sequence_counts_as_empty()
    {
        using var log = new LogCapture();
        await Db.AddBlocksetAsync(Hash(1), 100, null!, 0, default);
        Assert.That(log.WarningsAndErrors, Is.Empty);
        await Db.AddBlocksetAsync(Hash(2), 100, null!, 1, default);
        Assert.That(log.WithId("MismatchInBlocklistHashCount"), Has.Count.EqualTo(1));
    }

    [Test]
    [Contract("B 3.3 AddMetadatasetAsync")]
    public async Task Metadata_is_shared_by_hash_and_length_and_absent_without_hash()
    {
        var id = await Db.AddMetadatasetAsync(Hash(1), 10, [], 0, default);
        Assert.That(await Db.AddMetadatasetAsync(Hash(1), 10, [], 0, default), Is.EqualTo(id));
        Assert.That(await Db.AddMetadatasetAsync(Hash(1), 11, [], 0, default), Is.Not.EqualTo(id));
        Assert.That(await Db.AddMetadatasetAsync(null!, 10, [], 0, default), Is.EqualTo(-1));
    }

    [Test]
    [Contract("B 9.8 rule 5")]
    [Contract("B 3.3 AddFileEntryAsync")]
    public async Task A_second_entry_of_a_file_in_a_fileset_fails_in_the_call_and_harms_nothing()
    {
        await Db.AddFileEntryAsync(1, 1, "a", Time, 5, 6, default);
        Assert.That(() => Db.AddFileEntryAsync(1, 1, "a", Time, 5, 6, default), Refused.Engine(19));
        await Db.AddFileEntryAsync(1, 1, "b", Time, 5, 6, default);
        Assert.That(await CommitAndCountAsync("SELECT COUNT(*) FROM FilesetEntry"), Is.EqualTo(2));
    }

    [Test]
    [Contract("B 3.3 AddDirectoryEntryAsync")]
    [Contract("B 3.3 AddSymlinkEntryAsync")]
    [Contract("B 10 Q9")]
    [Contract("B 0.4")]
    public async Task Folders_and_links_have_their_marks()
    {
        await Db.AddDirectoryEntryAsync(1, 1, "d/", default, 6, default);
        await Db.AddSymlinkEntryAsync(1, 1, "l", default, 6, default);
        Assert.That(
            await CommitAndCountAsync(
                "SELECT COUNT(*) FROM FileLookup WHERE (Path = 'd/' AND BlocksetID = -100) OR (Path = 'l' AND BlocksetID = -200)"
            ),
            Is.EqualTo(2)
        );
    }

    [Test]
    public async Task Names_that_are_stored_as_the_same_text_are_one_name()
    {
        await Db.AddFileEntryAsync(1, 1, "x\ud800", Time, 5, 6, default);
        Assert.That(async () => await Db.AddFileEntryAsync(1, 1, "x\ud801", Time, 5, 6, default), Throws.TypeOf<SqliteException>());
        Assert.That(await CommitAndCountAsync("SELECT COUNT(*) FROM FileLookup"), Is.EqualTo(1));
    }

    [Test]
    public async Task Names_with_a_zero_character_are_kept_apart()
    {
        await Db.AddFileEntryAsync(1, 1, "a\0b", Time, 5, 6, default);
        await Db.AddFileEntryAsync(1, 1, "a\0c", Time, 5, 6, default);
        Assert.That(await CommitAndCountAsync("SELECT COUNT(*) FROM FileLookup"), Is.EqualTo(2));
    }

    private static IEnumerable<string> Unreadable()
    {
        yield return Hash(9);
        throw new InvalidDataException("the filelist ends here");
    }
}
