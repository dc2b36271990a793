// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using System.Text.RegularExpressions;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.SQLiteHelper;

namespace Duplicati.UnitTest.Main.Contract.Calls;

/// <summary>
/// Tests that say which row of the contract they hold call what that row is about. The whole list, row by row with the members named in it
/// and those that the test reaches, is in the output: <c>--filter FullyQualifiedName~ContractCallsTests --logger
/// "console;verbosity=detailed"</c>.
/// </summary>
[TestFixture]
internal sealed class ContractCallsTests
{
    private static readonly Assembly[] s_layer =
    [
        typeof(SQLiteLoader).Assembly,
        typeof(ReusableTransaction).Assembly,
        typeof(RemoteVolumeType).Assembly,
    ];

    private static readonly Assembly[] s_followed =
    [
        typeof(ContractCallsTests).Assembly,
        typeof(Duplicati.Engine.Operations.BackupOperation).Assembly,
        typeof(Duplicati.Tool.ToolRoot).Assembly,
    ];

    private static readonly Lazy<Holding[]> s_held = new(() => [.. Read()]);

    [Test]
    public void Every_row_is_in_a_section_of_the_contract() =>
        Assert.That(s_held.Value.Where(x => !x.HasSection).Select(x => x.ToString()), Is.Empty);

    /// <summary>Every row of part A of the contract is held by a test that names it, or listed with the reason why none can.</summary>
    [Test]
    public void The_list_of_rows_and_the_tests_agree()
    {
        const string Without = " -- ";
        var lines = File.ReadAllLines(Repository.File("Duplicati.UnitTest", "Main", "Contract", "A-rows.txt"))
            .Where(x => x.Length > 0)
            .ToArray();
        var rows = lines.Where(x => !x.Contains(Without, StringComparison.Ordinal)).ToArray();
        var excused = lines.Except(rows).Select(x => x[..x.IndexOf(Without, StringComparison.Ordinal)]).ToArray();
        var held = s_held
            .Value.Select(x => x.Row)
            .Where(x => x.StartsWith("A ", StringComparison.Ordinal))
            .ToHashSet(StringComparer.Ordinal);
        TestContext.Out.WriteLine($"{rows.Length} rows held, {excused.Length} without a test");
        Assert.Multiple(() =>
        {
            Assert.That(rows, Is.Unique);
            Assert.That(rows.Except(held), Is.Empty, "in the list, but no test names them");
            Assert.That(excused.Intersect(held), Is.Empty, "said to have no test, but there is one");
            Assert.That(held.Except(rows), Is.Empty, "named by a test, but not in the list");
        });
    }

    [Test]
    public void Every_test_calls_a_member_that_its_row_names()
    {
        foreach (var held in s_held.Value)
            TestContext.Out.WriteLine(held);
        var wrong = s_held.Value.Where(x => x.HasSection && !x.IsCalled).ToList();
        Assert.Multiple(() =>
        {
            Assert.That(
                wrong.Where(x => !ContractCallExceptions.All.Any(y => y.Fits(x.Row, x.Type, x.Test))).Select(x => x.ToString()),
                Is.Empty
            );
            Assert.That(
                ContractCallExceptions.All.Where(x => !wrong.Any(y => x.Fits(y.Row, y.Type, y.Test))),
                Is.Empty,
                "exceptions that are none any more"
            );
        });
    }

    private static IEnumerable<Holding> Read()
    {
        var document = new ContractDocument(
            new[] { "api-baseline-2.3.0.109.txt", "api-after-2.3.0.109.txt" }
                .SelectMany(x => File.ReadLines(Repository.File("Duplicati.UnitTest", "Api", x)))
                .Where(x => x.StartsWith('~') || x.StartsWith("Duplicati.", StringComparison.Ordinal))
        );
        var types = s_layer.SelectMany(x => x.GetTypes()).ToLookup(x => NameOf(x), StringComparer.Ordinal);
        var graph = new CallGraph(s_followed, s_layer);
        foreach (var type in typeof(ContractCallsTests).Assembly.GetTypes())
        foreach (var holder in type.GetMethods(CallGraph.Declared).Cast<MemberInfo>().Append(type))
        {
            var rows = holder
                .GetCustomAttributes<ContractAttribute>(inherit: false)
                .SelectMany(x => x.Properties["Contract"].Cast<string>())
                .ToList();
            if (rows.Count == 0)
                continue;
            var (reached, passed) = graph.From(Start(type, holder));
            var product = reached.Count > 0 || passed.Any(x => x.Module.Assembly != typeof(ContractCallsTests).Assembly);
            foreach (var row in rows)
                yield return Hold(document, types, row, type.Name, holder.Name, reached, product);
        }
    }

    private static Holding Hold(
        ContractDocument document,
        ILookup<string, Type> types,
        string row,
        string type,
        string test,
        HashSet<MemberInfo> reached,
        bool product
    )
    {
        if (!document.HasSection(row))
            return new Holding(row, type, test, false, [], [], false);
        var about = document.Types(row).SelectMany(x => types[x]).ToList();
        var called = reached
            .Where(x => about.Count == 0 || about.Exists(y => IsPartOf(x as Type ?? x.DeclaringType!, y)))
            .SelectMany(Names)
            .Select(ContractDocument.Family)
            .ToHashSet(StringComparer.Ordinal);
        var named = document.Named(row);
        var met = named.Where(called.Contains).ToList();
        return new Holding(row, type, test, true, [.. named], met, named.Count > 0 ? met.Count > 0 : product);
    }

    // With what NUnit runs before and after a test, and what it takes the cases from.
    private static IEnumerable<MethodBase> Start(Type type, MemberInfo holder)
    {
        var tests = holder is MethodInfo one
            ? [one]
            : type.GetMethods(CallGraph.Declared)
                .Where(x =>
                    x.IsDefined(typeof(TestAttribute))
                    || x.IsDefined(typeof(TestCaseAttribute))
                    || x.IsDefined(typeof(TestCaseSourceAttribute))
                );
        foreach (var test in tests)
        {
            yield return test;
            foreach (var source in test.GetCustomAttributes<TestCaseSourceAttribute>())
            foreach (var member in (source.SourceType ?? type).GetMember(source.SourceName ?? "", CallGraph.Declared))
                if ((member as MethodInfo ?? (member as PropertyInfo)?.GetMethod) is { } cases)
                    yield return cases;
        }

        for (var fixture = type; fixture is not null && fixture != typeof(object); fixture = fixture.BaseType)
            foreach (
                var method in fixture
                    .GetMembers(CallGraph.Declared)
                    .OfType<MethodBase>()
                    .Where(x =>
                        x is ConstructorInfo
                        || x.IsDefined(typeof(SetUpAttribute))
                        || x.IsDefined(typeof(OneTimeSetUpAttribute))
                        || x.IsDefined(typeof(TearDownAttribute))
                        || x.IsDefined(typeof(OneTimeTearDownAttribute))
                    )
            )
                yield return method;
    }

    private static bool IsPartOf(Type type, Type of)
    {
        foreach (var form in type.GetInterfaces().Prepend(type))
            for (var outer = form.IsGenericType ? form.GetGenericTypeDefinition() : form; outer is not null; outer = outer.DeclaringType)
                if (outer.IsAssignableFrom(of) || of.IsAssignableFrom(outer))
                    return true;
        return false;
    }

    private static IEnumerable<string> Names(MemberInfo member)
    {
        var name = member.Name.Split('.')[^1];
        yield return member is MethodInfo { IsSpecialName: true } ? name[(name.IndexOf('_', StringComparison.Ordinal) + 1)..] : name;
        for (var type = member as Type ?? member.DeclaringType; type is not null; type = type.DeclaringType)
            yield return NameOf(type);
    }

    private static string NameOf(Type type) => type.Name.Split('`')[0];

    private sealed record Holding(
        string Row,
        string Type,
        string Test,
        bool HasSection,
        IReadOnlyList<string> Named,
        IReadOnlyList<string> Met,
        bool IsCalled
    )
    {
        public override string ToString() =>
            $"{(IsCalled ? "ok " : "NOT")} {Row}: {(Named.Count > 0 ? string.Join(", ", Named) : "in words")}; {Type}.{Test} {(Named.Count == 0 ? IsCalled ? "calls the product" : "calls nothing" : Met.Count > 0 ? $"calls {string.Join(", ", Met)}" : "calls none of them")}";
    }
}

/// <summary>A test that holds a row without calling a member named there.</summary>
/// <param name="Rows">A regular expression for the rows.</param>
/// <param name="Tests">A regular expression for class and test.</param>
/// <param name="Reason">Why it holds the row all the same.</param>
internal sealed record ContractCallException(string Rows, string Tests, string Reason)
{
    public bool Fits(string row, string type, string test) =>
        Regex.IsMatch(row, $"^(?:{Rows})$") && Regex.IsMatch($"{type}.{test}", $"^(?:{Tests})$");
}

/// <summary>All of them; one that is not needed fails the test that uses the list.</summary>
internal static class ContractCallExceptions
{
    public static IReadOnlyList<ContractCallException> All { get; } =
    [
        new(".*", @"(ApiBaselineTests|LinkingRulesTests)\..*", "read signatures or sources instead of calling"),
        new("A 1.8 constants|A 6.16 BackupType", ".*", "constants are compiled into the caller"),
        new("A 3.2 pragma list", @"ConnectionPresetTests\..*", "reads the preset that every connection is opened with"),
        new("A 3.3 resource discovery", ".*", "the scripts are looked for without a database"),
        new("A 6.9 row sets", @"FileListTests\..*", "the statements behind the member are run as such"),
        new("A 8.2 age", @"CompactReportTests\..*", "the ages are calculated by a type of their own"),
        new(
            "A 12 row [67]",
            @"Volume(Dependency|Removal)?Tests\..*",
            "the row tells in words what becomes of volumes; the names in it are of other tests"
        ),
        new(@"B 9\.[78] .*", ".*", "rules and ideas are about every member of a rebuild; the names in them are examples"),
    ];
}
