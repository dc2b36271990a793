// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Library.Main.Database.Paths;
using Duplicati.Library.Main.Database.Restore;

namespace Duplicati.UnitTest.Main.Restore;

[TestFixture]
public class PathTextTests
{
    private static readonly string[] s_letters = ["a", "b", "/", "é", "\ue000", "\uffee", "\U0001f600", "\U00010000", "~", " "];

    [Test]
    public void Texts_are_ordered_as_their_UTF8_bytes()
    {
        var random = new Random(LongRun.Seed());
        for (var i = 0; i < 5000; i++)
        {
            var (x, y) = (Text(random), Text(random));
            var expected = Encoding.UTF8.GetBytes(x).AsSpan().SequenceCompareTo(Encoding.UTF8.GetBytes(y));

            Assert.That(Math.Sign(BinaryOrder.Instance.Compare(x, y)), Is.EqualTo(Math.Sign(expected)), $"{x} {y}");
        }
    }

    [Test]
    public void The_common_folder_is_the_longest_one_that_begins_every_path()
    {
        var random = new Random(LongRun.Seed());
        for (var i = 0; i < 2000; i++)
        {
            var paths = Enumerable.Range(0, 1 + random.Next(4)).Select(_ => "/" + Text(random)).ToArray();
            var folder = new CommonFolder("/");
            foreach (var path in paths)
                folder.Add(Encoding.UTF8.GetBytes(path));

            var expected = Enumerable
                .Range(0, paths[0].Length + 1)
                .Select(length => paths[0][..length])
                .Last(prefix =>
                    (prefix.Length == 0 || prefix.EndsWith('/'))
                    && Array.TrueForAll(paths, path => path.StartsWith(prefix, StringComparison.Ordinal))
                );
            Assert.That(folder.ToString(), Is.EqualTo(expected), string.Join(", ", paths));
        }
    }

    [Test]
    public void No_path_has_no_common_folder() => Assert.That(new CommonFolder("/").ToString(), Is.Empty);

    [TestCase(@"C:\a\b.txt:stream", ExpectedResult = @"C:\a\b.txt")]
    [TestCase(@"C:\a\b.txt:stream:$DATA", ExpectedResult = @"C:\a\b.txt:stream")]
    [TestCase("none", ExpectedResult = "none")]
    public string The_parent_of_a_stream_is_what_stands_before_the_last_colon(string stream) => AlternateStreams.ParentOf(stream);

    private static string Text(Random random) =>
        string.Concat(Enumerable.Range(0, random.Next(6)).Select(_ => s_letters[random.Next(s_letters.Length)]));
}
