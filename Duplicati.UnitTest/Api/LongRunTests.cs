// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using Duplicati.UnitTest.Engine.Remote.Rclone;

namespace Duplicati.UnitTest.Api;

/// <summary>
/// Which tests do not run by themselves can be told by their category; <c>.ci/run</c> takes every other test that is skipped for a failure.
/// </summary>
[TestFixture]
internal sealed class LongRunTests
{
    private static readonly BindingFlags s_all =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    [Test]
    public void Tests_that_run_only_when_asked_for_are_those_of_the_long_category_and_of_rclone()
    {
        var types = typeof(LongRunTests).Assembly.GetTypes();
        var wrong = types
            .Where(x => IsWrong(x))
            .Select(x => x.Name)
            .Concat(
                from type in types
                from method in type.GetMethods(s_all)
                where
                    IsWrong(method)
                    || method.GetCustomAttributes<TestCaseAttribute>().Any(x => x.Explicit != (x.Category == LongRun.Category))
                select $"{type.Name}.{method.Name}"
            );
        Assert.That(wrong, Is.Empty);
    }

    private static bool IsWrong(MemberInfo member) =>
        member.IsDefined(typeof(ExplicitAttribute))
        != member.GetCustomAttributes<CategoryAttribute>().Any(x => x.Name is LongRun.Category or RealRclone.Category);
}
