// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Api;

/// <summary>
/// The comparison with the baseline is worth what its reader tells: everything that a caller could notice must be in a line, in the
/// words of the baseline.
/// </summary>
[TestFixture]
internal sealed class ApiReaderTests
{
    private const string NAME = "Duplicati.UnitTest.Api.ApiReaderTests.";

    // What differs between two members must differ between their lines.
    private static readonly Dictionary<string, string> s_lines = new()
    {
        ["Plain"] = "Sample.Plain(int number) -> int | method | public",
        ["MayBeNull"] = "Sample.MayBeNull(string? text) -> string? | method | public",
        ["MayNotBeNull"] = "Sample.MayNotBeNull(string! text) -> string! | method | public",
        ["NullInside"] =
            "Sample.NullInside(System.Collections.Generic.List<string?>! list) -> System.Collections.Generic.Dictionary<string!, object?>? | method | public",
        ["NullArray"] = "Sample.NullArray(string?[]! items, long[]? numbers) -> void | method | public",
        ["NullableValue"] = "Sample.NullableValue(int? number) -> (string Name, System.DateTime? Time) | method | public",
        ["Tuple"] = "Sample.Tuple((string! Name, long Size)[]! items) -> void | method | public",
        ["Defaults"] =
            "Sample.Defaults(string? a = null, bool b = true, int c = 5, string! d = \"x\", System.Threading.CancellationToken e = default) -> void | method | public",
        ["Static"] = "Sample.Static() -> void | method | public | static",
        ["Internal"] = "Sample.Internal() -> void | method | internal",
        ["Protected"] = "Sample.Protected() -> void | method | protected",
        ["Virtual"] = "Sample.Virtual() -> void | method | public | virtual",
        ["ToString"] = "Sample.ToString() -> string! | method | public | override",
        ["Old"] = "Sample.Old() -> void | method | public | obsolete",
        ["Generic"] = "Sample.Generic<T>(T item) -> T where T : System.IDisposable! | method | public",
        ["Many"] = "Sample.Many(params int[]! numbers) -> void | method | public",
        ["Stream"] =
            "Sample.Stream(System.Func<string!, System.Threading.Tasks.Task<int>!>! work) -> System.Collections.Generic.IAsyncEnumerable<string!>! | method | public",
        ["Both"] = "Sample.Both { get; set; } -> string! | property | public",
        ["Read"] = "Sample.Read { get; } -> long | property | public",
        ["Init"] = "Sample.Init { get; init; } -> string? | property | public | required",
        ["Half"] = "Sample.Half { get; internal set; } -> int | property | public",
        ["Field"] = "Sample.Field -> string? | field | protected | readonly",
        ["Number"] = "Sample.Number = 7 -> int | field | public | const",
        ["Text"] = "Sample.Text = <string> -> string! | field | public | const",
    };

    private static IEnumerable<string> Members => s_lines.Keys;

    [TestCaseSource(nameof(Members))]
    [Contract("C 13.2 what a line tells")]
    public void A_line_tells_all_that_a_caller_can_see(string member)
    {
        var expected = s_lines[member]
            .Replace("(string Name, System.DateTime? Time)", "(string! Name, System.DateTime? Time)", StringComparison.Ordinal);

        Assert.That(
            Lines("Sample")
                .Where(x =>
                    x.StartsWith($"{NAME}Sample.{member}", StringComparison.Ordinal)
                    && !char.IsLetter(x[(NAME + "Sample." + member).Length])
                ),
            Is.EqualTo(new[] { NAME + expected })
        );
    }

    [Test]
    [Contract("C 13.2 what a line tells")]
    public void Private_members_and_what_the_compiler_adds_are_left_out()
    {
        Assert.That(Lines("Sample").Where(x => x.Contains("Hidden", StringComparison.Ordinal)), Is.Empty);
        Assert.That(
            Lines("Row").Select(x => x.Split(" | ")[0]),
            Is.EquivalentTo(
                new[]
                {
                    NAME + "Row : System.IEquatable<Duplicati.UnitTest.Api.ApiReaderTests.Row>",
                    NAME + "Row.Row(long Id, string! Name) -> void",
                    NAME + "Row.Id { get; init; } -> long",
                    NAME + "Row.Name { get; init; } -> string!",
                }
            )
        );
    }

    [Test]
    [Contract("C 13.2 what a line tells")]
    public void A_type_tells_its_kind_its_bases_and_its_accessibility()
    {
        Assert.That(Lines("Sample").First(), Is.EqualTo(NAME + "Sample : System.IDisposable | class | public"));
        Assert.That(
            Lines("Closed").First(),
            Is.EqualTo(NAME + "Closed : Duplicati.UnitTest.Api.ApiReaderTests.Sample | class | internal | sealed")
        );
        Assert.That(Lines("Row").First(), Does.EndWith("| record class | public | sealed"));
        Assert.That(Lines("IApi").First(), Is.EqualTo(NAME + "IApi : System.IAsyncDisposable, System.IDisposable | interface | public"));
    }

    [Test]
    [Contract("C 13.2 what a line tells")]
    public void A_file_without_nullable_context_is_marked() =>
        Assert.That(
            ApiReader.Read(typeof(Duplicati.Library.SQLiteHelper.SQLiteLoader).Assembly).Select(x => x.Text),
            Has.Some.StartsWith("~Duplicati.Library.SQLiteHelper.Strings.")
        );

    private static IEnumerable<string> Lines(string type) =>
        ApiReader.Read(typeof(ApiReaderTests).Assembly).Where(x => x.Type == NAME + type).Select(x => x.Text);

#pragma warning disable // Only there to be described.
    public interface IApi : IDisposable, IAsyncDisposable;

    public sealed record Row(long Id, string Name);

    public class Sample : IDisposable
    {
        public const int Number = 7;
        public const string Text = "SELECT";
        protected readonly string? Field;
        private int HiddenField;

        public string Both { get; set; } = "";

        public long Read { get; }

        public required string? Init { get; init; }

        public int Half { get; internal set; }

        private int HiddenProperty { get; set; }

        public int Plain(int number) => number;

        public string? MayBeNull(string? text) => text;

        public string MayNotBeNull(string text) => text;

        public Dictionary<string, object?>? NullInside(List<string?> list) => null;

        public void NullArray(string?[] items, long[]? numbers) { }

        public (string Name, DateTime? Time) NullableValue(int? number) => default;

        public void Tuple((string Name, long Size)[] items) { }

        public void Defaults(string? a = null, bool b = true, int c = 5, string d = "x", CancellationToken e = default) { }

        public static void Static() { }

        internal void Internal() { }

        protected void Protected() { }

        public virtual void Virtual() { }

        public override string ToString() => "";

        [Obsolete("old")]
        public void Old() { }

        public T Generic<T>(T item)
            where T : IDisposable => item;

        public void Many(params int[] numbers) { }

        public IAsyncEnumerable<string> Stream(Func<string, Task<int>> work) => throw new InvalidOperationException();

        public void Dispose() { }

        private void HiddenMethod() { }
    }

    internal sealed class Closed : Sample;
#pragma warning restore
}
