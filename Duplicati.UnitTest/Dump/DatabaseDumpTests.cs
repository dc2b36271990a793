// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Engine.Dump;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Dump;

[TestFixture]
public sealed class DatabaseDumpTests : FolderTestBase
{
    /// <summary>Every database of the golden data with its dump.</summary>
    public static IEnumerable<TestCaseData> Pairs =>
        from set in GoldenData.Folders
        from file in GoldenFacts.Of(set).Databases.Where(x => x.EndsWith(".sqlite", StringComparison.Ordinal)).Order(StringComparer.Ordinal)
        let dump = Path.ChangeExtension(file, set == "old-schema" ? ".before.dump.json" : ".dump.json")
        where GoldenData.Exists(set, dump)
        select new TestCaseData(set, file, dump);

    [TestCaseSource(nameof(Pairs))]
    public void Dump_of_a_golden_database_is_the_golden_dump_byte_for_byte(string set, string database, string dump)
    {
        var expected = GoldenData.ReadText(set, dump);
        var path = GoldenData.Unpack(set, database, Folder.Path);
        Assert.That(Lines(DumpText(path)), Is.EqualTo(Lines(expected)));
    }

    [TestCase("f-killed-at-dlist")]
    [TestCase("f-killed-first-backup")]
    [TestCase("f-killed-later-backup")]
    public void Dump_sees_what_a_killed_process_left_in_the_write_ahead_log(string set)
    {
        var expected = GoldenData.ReadText(set, "local.dump.json");
        var path = GoldenData.Unpack(set, "as-left/local.sqlite", Folder.Path);
        GoldenData.Unpack(set, "as-left/local.sqlite-wal", Folder.Path);
        Assert.That(Lines(DumpText(path)), Is.EqualTo(Lines(expected)));
    }

    [Test]
    public void Dump_does_not_change_the_database_file()
    {
        var path = GoldenData.Unpack("old-schema", "handmade-v00.sqlite", Folder.Path);
        var before = File.ReadAllBytes(path);
        DumpText(path);
        Assert.That(File.ReadAllBytes(path), Is.EqualTo(before));
    }

    [TestCase("k-small", "local")]
    [TestCase("l-duplicate-blocks", "local")]
    [TestCase("old-schema", "handmade-v00")]
    public void Parsed_dump_is_what_its_database_holds(string set, string name)
    {
        var dump = set == "old-schema" ? name + ".before.dump.json" : name + ".dump.json";
        using var json = new MemoryStream(Encoding.UTF8.GetBytes(GoldenData.ReadText(set, dump)));
        var everything = new DumpComparisonOptions
        {
            IgnoredSections = new HashSet<string>(),
            IgnoreVerificationCounts = false,
            IgnoreHistoryRowCounts = false,
        };
        Assert.That(
            DatabaseComparison.Compare(
                DumpParser.Parse(json),
                DatabaseDump.Load(GoldenData.Unpack(set, name + ".sqlite", Folder.Path)),
                everything
            ),
            Is.Empty
        );
    }

    [TestCase("{}")]
    [TestCase("[]")]
    [TestCase("no json")]
    [TestCase("""{"format": "duplicati-golden-dump", "format_version": 2}""")]
    public void Parse_refuses_what_is_no_dump(string text)
    {
        using var json = new MemoryStream(Encoding.UTF8.GetBytes(text));
        Assert.That(() => DumpParser.Parse(json), Throws.TypeOf<InvalidDataException>());
    }

    [Test]
    public void Sorter_gives_the_same_order_in_memory_and_through_a_file()
    {
        var random = new Random(LongRun.Seed());
        var lines = Enumerable
            .Range(0, 2000)
            .Select(_ => string.Concat(Enumerable.Range(0, random.Next(1, 20)).Select(_ => (char)random.Next(' ', '~' + 1))))
            .ToList();
        lines.AddRange(lines[..50]);

        using var inMemory = new LineSorter();
        using var throughFile = new LineSorter(maxCharacters: 1000);
        lines.ForEach(x => inMemory.Add(x));
        lines.ForEach(x => throughFile.Add(x));
        var expected = lines.Order(StringComparer.Ordinal).ToArray();
        Assert.Multiple(() =>
        {
            Assert.That(inMemory.Sorted().ToArray(), Is.EqualTo(expected));
            Assert.That(throughFile.Sorted().ToArray(), Is.EqualTo(expected));
        });
    }

    [Test]
    public void Text_is_escaped_as_ascii() =>
        Assert.That(
            new DumpJson().Value("a\"\\\n\r\t\b\f\u0001\u007f/é\ud83d\ude00"),
            Is.EqualTo("\"a\\\"\\\\\\n\\r\\t\\b\\f\\u0001\\u007f/\\u00e9\\ud83d\\ude00\"")
        );

    private static string DumpText(string path)
    {
        using var output = new MemoryStream();
        DatabaseDump.Write(path, output);
        return Encoding.ASCII.GetString(output.ToArray());
    }

    private static string[] Lines(string text) => text.Split('\n');
}
