// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CodeDom.Compiler;
using System.Reflection;
using System.Runtime.CompilerServices;
using Duplicati.UnitTest.Main.Contract.Calls;

namespace Duplicati.UnitTest.Api;

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
