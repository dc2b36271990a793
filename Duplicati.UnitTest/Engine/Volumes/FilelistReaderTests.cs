// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using static Duplicati.UnitTest.Engine.Volumes.VolumeFixture;

namespace Duplicati.UnitTest.Engine.Volumes;

[TestFixture]
public sealed class FilelistReaderTests
{
    private const string FILE = "{\"type\":\"File\",\"path\":\"/a\",\"hash\":\"h\",\"size\":3,\"time\":\"20260814T101112Z\"";

    [Test]
    [Contract("B 8.5")]
    public void All_properties_are_read()
    {
        var entries = ReadFilelist(
            FilelistJson(
                "\uFEFF["
                    + FILE
                    + ",\"metahash\":\"m\",\"metasize\":4,\"metablocklists\":[\"x\",\"y\"],\"blocklists\":[\"1\",\"2\"]},\n"
                    + FILE
                    + ",\"metahash\":\"m\",\"metasize\":4,\"metablockhash\":\"b\",\"blockhash\":\"c\",\"blocksize\":3},"
                    + FILE
                    + "}, {\"type\":\"Symlink\",\"path\":\"/l\"},{\"type\":\"Folder\",\"path\":\"/f/\",\"metahash\":\"m\",\"metasize\":0},"
                    + FILE.Replace("File", "AlternateStream", StringComparison.Ordinal)
                    + "}]"
            )
        );
        Assert.That(
            entries.Select(x => x.Type),
            Is.EqualTo(
                new[]
                {
                    FilelistEntryType.File,
                    FilelistEntryType.File,
                    FilelistEntryType.File,
                    FilelistEntryType.Symlink,
                    FilelistEntryType.Folder,
                    FilelistEntryType.AlternateStream,
                }
            )
        );
        Assert.That(entries[0].BlocklistHashes, Is.EqualTo(new[] { "1", "2" }));
        Assert.That(entries[0].MetaBlocklistHashes, Is.EqualTo(new[] { "x", "y" }));
        Assert.That((entries[1].MetaBlockHash, entries[1].BlockHash, entries[1].BlockSize), Is.EqualTo(("b", "c", 3L)));
        Assert.That(
            (entries[2].Hash, entries[2].Size, entries[2].Time, entries[2].MetaHash, entries[2].MetaSize),
            Is.EqualTo(("h", 3L, new DateTime(2026, 8, 14, 10, 11, 12, DateTimeKind.Utc), (string?)null, -1L))
        );
    }

    [Test]
    [Contract("B 8.5")]
    public void Unknown_types_are_skipped_whole_and_counted()
    {
        using var reader = FilelistReader.Open(
            new MemoryStream(FilelistJson("[{\"type\":\"Socket\",\"x\":{\"y\":[1,{\"type\":\"File\"}]},\"z\":null}," + FILE + "}]")),
            "list"
        );
        Assert.That(reader.ReadEntries().Select(x => x.Path), Is.EqualTo(new[] { "/a" }));
        Assert.That(reader.SkippedEntries, Is.EqualTo(1));
    }

    [TestCase("", TestName = "Nothing")]
    [TestCase("{}", TestName = "No_array")]
    [TestCase("[", TestName = "Unclosed")]
    [TestCase("[]x", TestName = "Text_after_the_end")]
    [TestCase("[1]", TestName = "A_number_for_an_entry")]
    [TestCase("[{}]", TestName = "No_type")]
    [TestCase("[{\"path\":\"/a\",\"type\":\"Folder\"}]", TestName = "Path_before_type")]
    [TestCase("[{\"type\":\"Folder\",\"path\":\"/a\",\"unknown\":1}]", TestName = "An_unknown_property")]
    [TestCase("[{\"type\":\"Folder\",\"path\":\"/a\",\"metasize\":1,\"metahash\":\"m\"}]", TestName = "Size_before_hash")]
    [TestCase("[{\"type\":\"Folder\",\"path\":\"/a\",\"metahash\":\"m\"}]", TestName = "A_hash_without_size")]
    [TestCase("[{\"type\":\"Folder\",\"path\":\"/a\",\"metahash\":\"m\",\"metasize\":-1}]", TestName = "A_negative_size")]
    [TestCase("[{\"type\":\"Folder\",\"path\":\"/a\",\"metahash\":\"m\",\"metasize\":1e3}]", TestName = "A_size_with_exponent")]
    [TestCase(
        "[{\"type\":\"Folder\",\"path\":\"/a\",\"metahash\":\"m\",\"metasize\":99999999999999999999}]",
        TestName = "A_size_beyond_64_bits"
    )]
    [TestCase("[{\"type\":\"Folder\",\"path\":null}]", TestName = "No_path")]
    [TestCase("[{\"type\":\"File\",\"path\":\"/a\",\"hash\":\"h\",\"size\":3,\"time\":\"2026\"}]", TestName = "A_bad_time")]
    [TestCase(
        "[{\"type\":\"File\",\"path\":\"/a\",\"hash\":\"h\",\"size\":3,\"time\":\"20260814T101112Z\",\"blocklists\":[1]}]",
        TestName = "A_number_for_a_hash"
    )]
    [TestCase(
        "[{\"type\":\"File\",\"path\":\"/a\",\"hash\":\"h\",\"size\":3,\"time\":\"20260814T101112Z\",\"blockhash\":\"b\"}]",
        TestName = "A_block_hash_without_size"
    )]
    [Contract("B 8.5")]
    public void A_list_that_breaks_the_format_is_a_typed_error(string json)
    {
        var error = Assert.Throws<CorruptVolumeException>(() => ReadFilelist(FilelistJson(json)));
        Assert.That((error!.Volume, error.HelpID), Is.EqualTo(("list", "CorruptVolume")));
        Assert.That(error.Message, Does.StartWith("list: ").And.Contain(error.Remedy));
    }

    [Test]
    public void Bytes_that_are_no_text_are_a_typed_error() =>
        Assert.Throws<CorruptVolumeException>(() =>
            ReadFilelist(Zip((FilelistReader.FILELIST, [.. "[{\"type\":\"Folder\",\"path\":\""u8, 0xC3, 0x28, .. "\"}]"u8])))
        );

    [Test]
    public void Deep_json_is_a_typed_error()
    {
        var deep = new string('[', 100_000);
        Assert.Throws<CorruptVolumeException>(() => ReadFilelist(FilelistJson("[{\"type\":\"New\",\"x\":" + deep)));
        Assert.Throws<CorruptVolumeException>(() => ReadFilelist(FilelistJson(deep)));
    }

    [Test]
    public void A_huge_value_is_a_typed_error_in_little_memory()
    {
        var volume = FilelistJson("[{\"type\":\"Folder\",\"path\":\"" + new string('a', 20_000_000) + "\"}]");
        var before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Throws<CorruptVolumeException>(() => ReadFilelist(volume));
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(8_000_000));
    }

    [Test]
    public async Task Paths_are_data_and_come_back_as_they_are()
    {
        var paths = new[]
        {
            "/quote\"'`",
            "/per%cent_[x]",
            "C:\\back\\slash",
            "/nul\0tab\tline\n",
            "/rtl\u202e",
            "/lone\ud83d",
            "/\udf89\ud83c",
            "/🎉",
            "../x",
            "/" + new string('é', 32 * 1024),
        };
        var volume = await Filelist(async list =>
        {
            foreach (var path in paths)
                await list.AddFileAsync(path, "h", 0, DateTime.UnixEpoch, "m", 5, null, null, -1, null, null);
        });
        Assert.That(ReadFilelist(volume).Select(x => x.Path), Is.EqualTo(paths));
    }

    [Test]
    public async Task Blocklists_that_nobody_asked_for_are_read_over()
    {
        using var reader = FilelistReader.Open(new MemoryStream(await WithBlocklists(3, 1000)), "list");
        Assert.That(reader.ReadEntries().Select(x => x.Path), Is.EqualTo(new[] { "/0", "/1", "/2" }));
    }

    [Test]
    public async Task Blocklists_asked_for_in_part_do_not_disturb_the_next_entry()
    {
        using var reader = FilelistReader.Open(new MemoryStream(await WithBlocklists(3, 1000)), "list");
        Assert.That(reader.ReadEntries().Select(x => x.BlocklistHashes!.First()), Is.EqualTo(new[] { "0-0", "1-0", "2-0" }));
    }

    [Test]
    public async Task Blocklists_asked_for_too_late_or_twice_are_an_error()
    {
        using var reader = FilelistReader.Open(new MemoryStream(await WithBlocklists(2, 10)), "list");
        using var entries = reader.ReadEntries().GetEnumerator();
        entries.MoveNext();
        var first = entries.Current;
        Assert.That(first.BlocklistHashes!.Count(), Is.EqualTo(10));
        Assert.Throws<InvalidOperationException>(() => first.BlocklistHashes!.Count());
        entries.MoveNext();
        Assert.Throws<InvalidOperationException>(() => first.BlocklistHashes!.Count());
        Assert.That(entries.Current.BlocklistHashes!.Last(), Is.EqualTo("1-9"));
        Assert.Throws<InvalidOperationException>(() => reader.ReadEntries());
    }

    [Test]
    public async Task Memory_does_not_grow_with_the_blocklists_of_a_file()
    {
        var volume = await WithBlocklists(2, 300_000);
        using var reader = FilelistReader.Open(new MemoryStream(volume), "list");
        var before = GC.GetAllocatedBytesForCurrentThread();
        Assert.That(reader.ReadEntries().Count(), Is.EqualTo(2));
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(1_000_000));
    }

    [Test]
    public async Task A_volume_tells_whether_the_backup_was_whole()
    {
        var volume = await Filelist(_ => Task.CompletedTask, isFull: false);
        using var reader = FilelistReader.Open(new MemoryStream(volume), "list");
        Assert.That(reader.IsFullBackup, Is.False);
    }

    [Test]
    public void Control_files_beside_the_list_are_passed_over()
    {
        var list = """[{"type":"Folder","path":"/f/","metahash":"m","metasize":5}]"""u8;
        var volume = Zip(("extra/settings.json", [1, 2, 3]), (FilelistReader.FILELIST, list.ToArray()));
        Assert.That(ReadFilelist(volume).Select(x => x.Path), Is.EqualTo(new[] { "/f/" }));
    }

    [Test]
    [Contract("B 8.5")]
    public void A_volume_that_does_not_say_was_a_whole_backup()
    {
        using var reader = FilelistReader.Open(new MemoryStream(FilelistJson("[]")), "list");
        Assert.That(reader.IsFullBackup);
        Assert.That(reader.ReadEntries(), Is.Empty);
    }

    [TestCase("{\"IsFullBackup\":false,\"Timestamp\":\"20260822T094800Z\"}", true)]
    [TestCase("{\"Timestamp\":\"20260822T094800Z\",\"IsFullBackup\":false}", true)]
    [TestCase("{\"IsFullBackup\":false}", false)]
    [TestCase("{\"IsFullBackup\":false,\"Timestamp\":null}", false)]
    [TestCase("{\"Timestamp\":\"2026-08-22\",\"IsFullBackup\":false}", false)]
    [TestCase("{\"Timestamp\":\"20261322T094800Z\",\"IsFullBackup\":false}", false)]
    [TestCase("{\"Timestamp\":[1,{\"a\":[]}],\"IsFullBackup\":false}", false)]
    [TestCase("{\"Timestamp\":17,\"IsFullBackup\":false}", false)]
    [Contract("D 1.4")]
    public void A_time_that_is_none_says_nothing(string fileset, bool isTime)
    {
        var volume = Zip((FilelistReader.FILESET, Encoding.UTF8.GetBytes(fileset)), (FilelistReader.FILELIST, "[]"u8.ToArray()));
        using var reader = FilelistReader.Open(new MemoryStream(volume), "list");
        Assert.That(reader.FilesetTime, Is.EqualTo(isTime ? new DateTime(2026, 8, 22, 9, 48, 0, DateTimeKind.Utc) : (DateTime?)null));
        Assert.That(reader.IsFullBackup, Is.False);
        Assert.That(reader.ReadEntries(), Is.Empty);
    }

    [Test]
    public void A_volume_without_a_list_is_a_typed_error() => Assert.Throws<CorruptVolumeException>(() => ReadFilelist(Zip()));

    [Test]
    public async Task An_empty_list_is_written_as_one()
    {
        var volume = await Filelist(_ => Task.CompletedTask);
        Assert.That(ReadFilelist(volume), Is.Empty);
    }

    [Test]
    public async Task No_hash_for_the_first_blocklist_stands_for_none()
    {
        var volume = await Filelist(list =>
            list.AddFileAsync("/a", "h", 5, DateTime.UnixEpoch, "m", 5, null, "b", 5, new[] { "" }.ToAsyncEnumerable(), [""])
        );
        var entry = ReadFilelist(volume).Single();
        Assert.That(
            (entry.BlocklistHashes, entry.MetaBlocklistHashes, entry.BlockHash, entry.BlockSize),
            Is.EqualTo(((IEnumerable<string>?)null, (IReadOnlyList<string>?)null, "b", 5L))
        );
    }

    [Test]
    public void An_entry_without_metadata_hash_is_refused() =>
        Assert.ThrowsAsync<ArgumentNullException>(() =>
            Filelist(list => list.AddFileAsync("/a", "h", 5, DateTime.UnixEpoch, " ", 5, null, null, -1, null, null))
        );

    private static Task<byte[]> WithBlocklists(int files, int blocklists) =>
        Filelist(async list =>
        {
            for (var file = 0; file < files; file++)
            {
                var hashes = Enumerable.Range(0, blocklists).Select(i => $"{file}-{i}").ToAsyncEnumerable();
                await list.AddFileAsync($"/{file}", "h", 5_000_000, DateTime.UnixEpoch, "m", 5, null, null, -1, hashes, null);
            }
        });
}
