// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>No name can make a list look like something else.</summary>
[TestFixture]
internal sealed class SafeTextTests
{
    [TestCase("/data/plain name")]
    [TestCase("/data/quote's and \"double\" and back\\slash")]
    [TestCase("/data/ünïcødé-日本語-🎉")]
    public void An_ordinary_name_stays_as_it_is(string name) => Assert.That(SafeText.Of(name), Is.EqualTo(name));

    [TestCase("/a\nb", "\"/a\\nb\"")]
    [TestCase("/a\r\tb", "\"/a\\r\\tb\"")]
    [TestCase("/a\u001b[31mred", "\"/a\\u001b[31mred\"")]
    [TestCase("/a\u009b2J", "\"/a\\u009b2J\"")]
    [TestCase("/rtl\u202etxt.exe", "\"/rtl\\u202etxt.exe\"")]
    [TestCase("/zero\u200bwidth", "\"/zero\\u200bwidth\"")]
    [TestCase("/a\u2028b", "\"/a\\u2028b\"")]
    [TestCase("/\"\\\n", "\"/\\\"\\\\\\n\"")]
    [TestCase("\"/a\"", "\"\\\"/a\\\"\"")]
    [TestCase("/trailing ", "\"/trailing \"")]
    [TestCase("", "\"\"")]
    public void A_name_that_could_deceive_is_quoted_and_escaped(string name, string expected) =>
        Assert.That(SafeText.Of(name), Is.EqualTo(expected));

    [Test]
    public void A_long_text_shows_its_beginning() => Assert.That(SafeText.Beginning("0123456789\n", 5), Is.EqualTo("01234 ..."));
}
