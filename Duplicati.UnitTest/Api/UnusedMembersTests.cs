// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CodeDom.Compiler;
using System.Reflection;
using System.Runtime.CompilerServices;
using Duplicati.Engine.Configuration;
using Duplicati.Library.Main.Database;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Tool;
using Duplicati.UnitTest.Main.Contract.Calls;

namespace Duplicati.UnitTest.Api;

/// <summary>Nothing is kept that nobody uses.</summary>
[TestFixture]
internal sealed class UnusedMembersTests
{
    // With whom they are for.
    private static readonly Dictionary<string, string> s_kept = new(StringComparer.Ordinal)
    {
        ["Duplicati.Engine.Configuration.TestBudget.set_Clock"] = "tests choose the time",
        ["Duplicati.Engine.Reports.DeleteChoices.set_Now"] = "tests choose the time",
        ["Duplicati.Library.Main.Database.BatchRebuild.Add"] = "callers of the batch members, see docs/linking.md",
        ["Duplicati.Library.Main.Database.Blocks.BlockMap.get_Bytes"] = "tests and benchmarks see what it takes",
        ["Duplicati.Library.Main.Database.Blocks.BlockMap.get_Tier"] = "tests see which structure is in use",
        ["Duplicati.Library.Main.Database.Delete.DeletionLimits.set_FewestRows"] = "tests choose the limits",
        ["Duplicati.Library.Main.Database.Delete.DeletionLimits.set_MostGaps"] = "as above",
        ["Duplicati.Library.Main.Database.Delete.DeletionLimits.set_MostRowsInMemory"] = "as above",
        ["Duplicati.Library.Main.Database.Delete.DeletionLimits.set_Share"] = "as above",
        ["Duplicati.Library.Main.Database.Delete.DeletionLimits.set_ShareOfBlocksInOrder"] = "as above",
        ["Duplicati.Library.Main.Database.Session.DeferredIndexes.set_MostRowsAtOnce"] = "as above",
        ["Duplicati.Library.Main.Database.Recreate.RecreateBlocks.get_MapBytes"] = "tests and benchmarks see what it takes",
        ["Duplicati.Library.Main.Database.Recreate.RecreateFilelist.get_CacheBytes"] = "as above",
        ["Duplicati.Library.Main.Database.Recreate.SpillBuffer.get_FileBytes"] = "tests see that memory was not enough",
        ["Duplicati.Library.SQLiteHelper.Connections.PlannerStatistics.RefreshAsync"] = "for who must not be blocked",
        ["Duplicati.Library.SQLiteHelper.Files.DurableFiles.set_Standard"] = "tests let file operations fail",
        ["Duplicati.Library.SQLiteHelper.Statements.StatementCache.get_OpenStatements"] = "tests see that none is left open",
        ["Duplicati.Library.SQLiteHelper.Statements.StatementCache.set_Fault"] = "tests let statements fail",
        ["Duplicati.Library.SQLiteHelper.WriterQueue.CommitQueue.get_Statements"] = "tests count statements",
    };

    [Test]
    public void Every_member_has_a_user_in_the_product_or_a_reason()
    {
        var api = ApiReader
            .Read(typeof(SQLiteLoader).Assembly)
            .Concat(ApiReader.Read(typeof(ReusableTransaction).Assembly))
            .ToLookup(x => x.Text, x => x.Type);
        var listed = ApiBaselineTests.ReadBaseline().SelectMany(x => api[x]).ToHashSet(StringComparer.Ordinal);
        var found = UnusedMembers
            .Find(
                [
                    typeof(SQLiteLoader).Assembly,
                    typeof(ReusableTransaction).Assembly,
                    typeof(EngineOptions).Assembly,
                    typeof(ToolRoot).Assembly,
                ],
                type => listed.Contains(TypeText.Declared(type))
            )
            .Distinct()
            .ToList();
        foreach (var member in found)
            TestContext.Out.WriteLine(member);

        Assert.That(found.Except(s_kept.Keys), Is.Empty, "remove these, or name their user");
        Assert.That(s_kept.Keys.Except(found), Is.Empty, "used, or gone: take these off the list");
    }
}

/// <summary>
/// Methods and options of libraries and programs that none of the product's assemblies uses. What others may call (public members of
/// public types) is left out, and what implements an interface, overrides something, is made by the compiler or is a constructor, because
/// who uses these cannot be read from calls.
/// </summary>
internal static class UnusedMembers
{
    /// <summary>Finds them, as <c>Type.Member</c>.</summary>
    /// <param name="assemblies">Whose members.</param>
    /// <param name="isApi">Whether others link against a type.</param>
    public static IEnumerable<string> Find(IReadOnlyCollection<Assembly> assemblies, Func<Type, bool> isApi)
    {
        var types = assemblies.SelectMany(x => x.GetTypes()).ToList();
        var used = new HashSet<MethodBase>();
        foreach (
            var method in types.SelectMany(x =>
                x.GetMethods(CallGraph.Declared).Cast<MethodBase>().Concat(x.GetConstructors(CallGraph.Declared))
            )
        )
            used.UnionWith(CallGraph.Uses(method).OfType<MethodBase>().Select(Definition).Where(x => x != method));
        return from type in assemblies.SelectMany(x => x.GetTypes())
            where !IsMade(type) && !isApi(type)
            from method in type.GetMethods(CallGraph.Declared)
            where !method.IsVirtual && !used.Contains(method) && IsAsked(type, method)
            orderby type.FullName, method.Name
            select $"{type.FullName}.{method.Name}";
    }

    // Reading an automatic property may be what a serializer does, and a positional property is set by the constructor.
    private static bool IsAsked(Type type, MethodInfo method)
    {
        if ((type.IsVisible && method.IsPublic) || method.IsDefined(typeof(System.Diagnostics.ConditionalAttribute)))
            return false;
        if (
            method.Name is "Main" or "<Main>$"
            || method.Name.StartsWith('<')
            || method.GetCustomAttribute<ModuleInitializerAttribute>() is not null
        )
            return false;
        if (!method.IsDefined(typeof(CompilerGeneratedAttribute)))
            return true;
        return method.Name.StartsWith("set_", StringComparison.Ordinal)
            && !type.GetConstructors(CallGraph.Declared)
                .SelectMany(x => x.GetParameters())
                .Any(x => x.Name == method.Name["set_".Length..]);
    }

    private static bool IsMade(Type type) =>
        type.IsDefined(typeof(CompilerGeneratedAttribute))
        || type.IsDefined(typeof(GeneratedCodeAttribute))
        || (type.DeclaringType is { } outer && IsMade(outer));

    private static MethodBase Definition(MethodBase method) => method.Module.ResolveMethod(method.MetadataToken)!;
}
