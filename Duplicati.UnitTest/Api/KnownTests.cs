// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using System.Text.RegularExpressions;

namespace Duplicati.UnitTest.Api;

/// <summary>The names and categories of the tests of this assembly, as a filter of <c>dotnet test</c> sees them.</summary>
internal static partial class KnownTests
{
    private static readonly (Type Type, MethodInfo Method)[] s_all =
    [
        .. typeof(KnownTests)
            .Assembly.GetTypes()
            .Where(x => x.IsClass)
            .SelectMany(type => type.GetMethods().Where(IsTest).Select(method => (type, method))),
    ];

    /// <summary>Whether one of them fits one term of a filter.</summary>
    public static bool Has(string term)
    {
        if (Term().Match(term) is not { Success: true } match)
            return false;
        var value = match.Groups["value"].Value;
        return s_all.Any(x =>
            Values(x.Type, x.Method, match.Groups["property"].Value)
                .Any(y => match.Groups["operator"].Value == "=" ? y == value : y.Contains(value, StringComparison.Ordinal))
        );
    }

    private static IEnumerable<string> Values(Type type, MethodInfo method, string property) =>
        property switch
        {
            "Name" => [method.Name],
            "TestCategory" => type.GetCustomAttributes<CategoryAttribute>()
                .Concat(method.GetCustomAttributes<CategoryAttribute>())
                .Select(x => x.Name),
            _ => [$"{type.FullName}.{method.Name}"],
        };

    private static bool IsTest(MethodInfo method) =>
        method
            .GetCustomAttributes()
            .Any(x => x is NUnit.Framework.Interfaces.ITestBuilder or NUnit.Framework.Interfaces.ISimpleTestBuilder);

    [GeneratedRegex(@"^(?<property>FullyQualifiedName|Name|TestCategory)!?(?<operator>[=~])(?<value>.+)$")]
    private static partial Regex Term();
}
