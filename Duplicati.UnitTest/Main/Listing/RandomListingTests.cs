// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Listing;

/// <summary>Searches and versions of files on random paths, against the same question asked in another way.</summary>
[TestFixture]
public sealed class RandomListingTests : SampleTestBase
{
    private const int Versions = 6;

    private static readonly string[] s_folders = ["", "/", "/a/", "/B/b/", "/é/", "C:\\", "/a/[x]/"];
    private static readonly string[] s_pieces = ["a", "b", "B", "ab", "é", "É", "\U0001F600", "\uFFFD", "[x]", "-", ".", " ", "0"];
    private static readonly string[] s_ends = ["", "", "/", "\\", ".", " ", "0", "Z", "_", "z"];
    private static readonly string[] s_patterns = ["*", "*", "?", "[a-c]", "[^a]", "[]]", "[", "]", "/", "\\"];

    [Test, Repeat(3)]
    [Contract("C 1.10")]
    public async Task Versions_of_names_are_those_of_a_plain_statement()
    {
        var random = Fill(Data);
        var asked = Enumerable.Range(0, 1 + random.Next(8)).Select(_ => Piece(random, s_pieces) + Piece(random, s_ends)).ToArray();
        var spellings = asked.SelectMany(x => new[] { x, Bare(x), Bare(x) + "/", Bare(x) + "\\" }).Distinct().Select(x => $"'{x}'");
        var expected = Data.Rows(
            $"""
            SELECT l."Path", f."Timestamp", b."Length" FROM "FileLookup" l JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
            JOIN "FilesetEntry" e ON e."FileID" = l."ID" JOIN "Fileset" f ON f."ID" = e."FilesetID" JOIN "Blockset" b ON b."ID" = l."BlocksetID"
            WHERE l."Path" IN ({string.Join(", ", spellings)}) OR p."Prefix" || l."Path" IN ({string.Join(", ", spellings)})
            """
        );
        await using var db = await LocalListDatabase.CreateAsync(Data.Path, null, default);

        var items = (await db.ListFileVersionsAsync(asked, null, 0, 0, default)).Items.ToList();

        var rows = items.Select(x => $"{x.Path}|{new DateTimeOffset(x.Time).ToUnixTimeSeconds()}|{x.Size}").ToArray();
        Assert.That(rows.Order(StringComparer.Ordinal), Is.EqualTo(expected), string.Join(", ", asked));
        Assert.That(items.Select(x => (Convert.ToHexString(System.Text.Encoding.UTF8.GetBytes(x.Path)), x.Time)), Is.Ordered);
    }

    [Test, Repeat(5)]
    [Contract("C 1.11")]
    public async Task A_search_of_paths_decides_as_the_statement_does_that_looks_at_metadata_too()
    {
        var random = Fill(Data);
        Data.Close();
        await using var db = await LocalListDatabase.CreateAsync(Data.Path, null, default);
        for (var i = 0; i < 60; i++)
        {
            var rules = Enumerable.Range(0, 1 + random.Next(3)).Select(_ => Rule(random)).ToList();
            var folders = random.Next(3) == 0 ? Enumerable.Range(0, 3).Select(_ => Piece(random, s_folders)).ToArray() : null;
            var (isCaseSensitive, offset, limit) = (random.Next(2) == 0, random.Next(3) * 5L, random.Next(2) * 7L);
            var filter = rules.Cast<IFilter>().Aggregate((x, y) => new JoinedFilterExpression(x, y));
            offset = limit == 0 ? 0 : offset;

            // No file has metadata.
            var byTable = await db.SearchEntriesAsync(folders, filter, isCaseSensitive, null, true, offset, limit, default);
            var byPath = await db.SearchEntriesAsync(folders, filter, isCaseSensitive, null, false, offset, limit, default);

            var text = $"{string.Join("; ", rules.Select(x => $"{x.Result} {x}"))}, {isCaseSensitive}";
            Assert.That(byPath.TotalCount, Is.EqualTo(byTable.TotalCount), text);
            Assert.That(byPath.Items, Is.EqualTo(byTable.Items), text);
        }
    }

    [Test]
    [Contract("C 1.11 paging")]
    public async Task A_page_is_a_part_of_the_whole_list([Values(0, 3, 5)] int chosen)
    {
        var random = Fill(Data);
        Data.Rows("""UPDATE "FilesetEntry" SET "Lastmodified" = "FilesetID" * 1000 + "FileID" """);
        long[] filesets = [.. Data.Rows("""SELECT "ID" FROM "Fileset" """).Take(chosen).Select(long.Parse)];
        await using var db = await LocalListDatabase.CreateAsync(Data.Path, null, default);
        var found = (await db.SearchEntriesAsync(null, new FilterExpression("a"), false, filesets, false, 0, 0, default)).Items.ToList();
        var versions = (await db.ListFileVersionsAsync(s_pieces, filesets, 0, 0, default)).Items.ToList();
        Assert.That(
            found.Select(x => x.LastModified).Concat(versions.Select(x => x.LastModified)),
            Has.All.Property(nameof(DateTime.Ticks)).Positive
        );

        for (var i = 0; i < 20; i++)
        {
            var (offset, limit) = (random.Next(found.Count + 5), 1 + random.Next(found.Count));
            var page = await db.SearchEntriesAsync(null, new FilterExpression("a"), false, filesets, false, offset, limit, default);
            var versionPage = await db.ListFileVersionsAsync(s_pieces, filesets, offset, limit, default);

            Assert.That((page.TotalCount, versionPage.TotalCount), Is.EqualTo((found.Count, versions.Count)));
            Assert.That(page.Items, Is.EqualTo(found.Skip(offset).Take(limit)));
            Assert.That(versionPage.Items, Is.EqualTo(versions.Skip(offset).Take(limit)));
        }
    }

    [TestCase(true)]
    [TestCase(false)]
    [Contract("C 1.11")]
    public async Task A_pattern_that_is_too_long_for_the_engine_is_refused_by_it(bool searchMetadata)
    {
        Data.Fileset(1000, Data.File("/x", Data.Blockset("x", 1)));
        Data.Close();
        await using var db = await LocalListDatabase.CreateAsync(Data.Path, null, default);

        Assert.That(
            async () =>
                await db.SearchEntriesAsync(
                    null,
                    new FilterExpression("*" + new string('x', 50_000)),
                    true,
                    null,
                    searchMetadata,
                    0,
                    0,
                    default
                ),
            Throws.TypeOf<SqliteException>().With.Message.Contains("too complex")
        );
    }

    // Each path has up to three contents, each of them in some versions.
    private static Random Fill(SampleDatabase data)
    {
        var random = new Random(LongRun.Seed());
        var entries = Enumerable.Range(0, Versions).Select(_ => new List<long>()).ToArray();
        var paths = Enumerable
            .Range(0, 150)
            .Select(_ => Piece(random, s_folders) + Piece(random, s_pieces) + Piece(random, s_ends))
            .Distinct()
            .ToList();
        foreach (var (path, number) in paths.Select((x, i) => (x, i)))
        {
            var contents = Enumerable
                .Range(0, 1 + random.Next(3))
                .Select(i => data.File(path, data.Blockset($"{number} {i}", (number * 10) + i)))
                .ToArray();
            foreach (var version in entries.Where(_ => random.Next(4) > 0))
                version.Add(contents[random.Next(contents.Length)]);
        }

        for (var i = 0; i < Versions; i++)
            data.Fileset(1000 + i, [.. entries[i]]);
        data.Close();
        return random;
    }

    private static FilterExpression Rule(Random random)
    {
        var isPattern = random.Next(2) == 0;
        var pieces = Enumerable
            .Range(0, 1 + random.Next(4))
            .Select(i => Piece(random, isPattern && i % 2 == 0 ? s_patterns : s_pieces))
            .ToArray();
        // A text in brackets would be a regular expression.
        return new FilterExpression(isPattern ? "*" + string.Concat(pieces) : string.Concat(pieces).TrimStart('['), random.Next(2) == 0);
    }

    private static string Piece(Random random, string[] pieces) => pieces[random.Next(pieces.Length)];

    private static string Bare(string path) => path.TrimEnd('/', '\\');
}
