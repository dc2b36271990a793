// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>Every row of part A of the contract is held by a test that names it, or listed with the reason why none can.</summary>
[TestFixture]
internal sealed class AContractCoverageTests
{
    private const string WITHOUT = " -- ";

    private static readonly BindingFlags s_all =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    [Test]
    public void The_list_of_rows_and_the_tests_agree()
    {
        var lines = File.ReadAllLines(ListPath()).Where(x => x.Length > 0).ToArray();
        var rows = lines.Where(x => !x.Contains(WITHOUT, StringComparison.Ordinal)).ToArray();
        var excused = lines.Except(rows).Select(x => x[..x.IndexOf(WITHOUT, StringComparison.Ordinal)]).ToArray();
        var held = Held().Where(x => x.StartsWith("A ", StringComparison.Ordinal)).ToHashSet(StringComparer.Ordinal);
        TestContext.Out.WriteLine($"{rows.Length} rows held, {excused.Length} without a test");
        Assert.Multiple(() =>
        {
            Assert.That(rows, Is.Unique);
            Assert.That(rows.Except(held), Is.Empty, "in the list, but no test names them");
            Assert.That(excused.Intersect(held), Is.Empty, "said to have no test, but there is one");
            Assert.That(held.Except(rows), Is.Empty, "named by a test, but not in the list");
        });
    }

    private static IEnumerable<string> Held() =>
        typeof(AContractCoverageTests)
            .Assembly.GetTypes()
            .SelectMany(type => type.GetMethods(s_all).Cast<MemberInfo>().Append(type))
            .SelectMany(member => member.GetCustomAttributes<ContractAttribute>(inherit: false))
            .SelectMany(attribute => attribute.Properties["Contract"].Cast<string>());

    private static string ListPath() => Repository.File("Duplicati.UnitTest", "Main", "Contract", "A-rows.txt");
}
