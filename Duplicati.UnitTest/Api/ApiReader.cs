// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Duplicati.UnitTest.Api;

/// <summary>Lists the types and non-private members of an assembly in the form of the baseline.</summary>
internal static class ApiReader
{
    private const BindingFlags DECLARED =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    internal static IEnumerable<ApiLine> Read(Assembly assembly) =>
        assembly.GetTypes().Where(IsDeclared).SelectMany(x => Members(x).Prepend(TypeLine(x)));

    private static bool IsDeclared(Type type) =>
        type.Namespace?.StartsWith("Duplicati.", StringComparison.Ordinal) == true && !type.Name.Contains('<') && !IsInPrivate(type);

    private static bool IsInPrivate(Type? type) =>
        type != null && (type.IsNestedPrivate || type.Name.Contains('<') || IsInPrivate(type.DeclaringType));

    private static bool IsRecord(Type type) => type.GetMethod("<Clone>$", DECLARED) != null;

    private static ApiLine TypeLine(Type type)
    {
        var bases =
            type.BaseType == null || type.BaseType == typeof(object) || type.IsValueType
                ? []
                : new[] { TypeText.Unannotated(type.BaseType) };
        var inherited = (type.BaseType?.GetInterfaces() ?? []).Concat(type.GetInterfaces().SelectMany(x => x.GetInterfaces()));
        var interfaces = type.GetInterfaces().Except(inherited).Select(TypeText.Unannotated).Order(StringComparer.Ordinal);
        var all = string.Join(", ", bases.Concat(interfaces));
        var kind =
            type.IsInterface ? "interface"
            : type.IsValueType ? "struct"
            : IsRecord(type) ? "record class"
            : "class";
        var modifiers =
            !type.IsClass ? ""
            : type is { IsAbstract: true, IsSealed: true } ? "static"
            : type.IsSealed ? "sealed"
            : type.IsAbstract ? "abstract"
            : "";
        var access =
            type.IsPublic || type.IsNestedPublic ? "public"
            : type.IsNestedFamily ? "protected"
            : type.IsNestedFamORAssem ? "protected internal"
            : "internal";
        var name = TypeText.Declared(type);
        return new ApiLine(
            ApiLine.Normalize($"{name}{(all.Length == 0 ? "" : " : " + all)} | {kind} | {access} | {modifiers}"),
            name,
            access
        );
    }

    private static IEnumerable<ApiLine> Members(Type type)
    {
        var record = IsRecord(type);
        foreach (var constructor in type.GetConstructors(DECLARED).Where(x => !x.IsStatic && !(record && IsGenerated(x))))
            if (Access(constructor) is { } access)
                yield return Line(type, ConstructorText(constructor), "constructor", access, IsObsolete(constructor) ? "obsolete" : "");
        foreach (
            var method in type.GetMethods(DECLARED)
                .Where(x => !x.IsSpecialName && !x.Name.Contains('<') && x.Name != "Finalize" && !(record && IsGenerated(x)))
        )
            if (Access(method) is { } access)
                yield return Line(type, MethodText(method), IsExtension(method) ? "extension method" : "method", access, Modifiers(method));
        foreach (var property in type.GetProperties(DECLARED).Where(x => x.Name != "EqualityContract"))
            if (PropertyLine(type, property) is { } line)
                yield return line;
        foreach (var field in type.GetFields(DECLARED).Where(x => !x.Name.Contains('<') && !x.IsSpecialName))
            if (Access(field) is { } access)
                yield return Line(
                    type,
                    FieldText(field),
                    "field",
                    access,
                    field.IsLiteral ? "const" : (field.IsStatic ? "static " : "") + (field.IsInitOnly ? "readonly" : "")
                );
    }

    private static ApiLine Line(Type type, (string Text, bool Oblivious) member, string kind, string access, string modifiers)
    {
        var name = TypeText.Declared(type);
        return new ApiLine(
            ApiLine.Normalize($"{(member.Oblivious ? "~" : "")}{name}.{member.Text} | {kind} | {access} | {modifiers}"),
            name,
            access
        );
    }

    private static (string Text, bool Oblivious) ConstructorText(ConstructorInfo constructor)
    {
        var types = new TypeText();
        return ($"{constructor.DeclaringType!.Name.Split('`')[0]}({Parameters(constructor, types)}) -> void", types.Oblivious);
    }

    private static (string Text, bool Oblivious) MethodText(MethodInfo method)
    {
        var types = new TypeText();
        var generic = method.IsGenericMethod ? $"<{string.Join(", ", method.GetGenericArguments().Select(x => x.Name))}>" : "";
        var parameters = (IsExtension(method) ? "this " : "") + Parameters(method, types);
        var text = $"{method.Name}{generic}({parameters}) -> {types.Write(method.ReturnType, Annotations.Of(method.ReturnParameter))}";
        return (text + string.Concat(method.GetGenericArguments().Select(x => Constraints(x, method))), types.Oblivious);
    }

    private static string Constraints(Type parameter, MethodInfo method)
    {
        var mark = Annotations.Context(method) == Annotations.OBLIVIOUS ? "" : "!";
        var types = parameter.GetGenericParameterConstraints().Select(x => TypeText.Unannotated(x) + mark).ToList();
        return types.Count == 0 ? "" : $" where {parameter.Name} : {string.Join(", ", types)}";
    }

    private static string Parameters(MethodBase method, TypeText types) =>
        string.Join(
            ", ",
            method
                .GetParameters()
                .Select(x =>
                    $"{(x.IsDefined(typeof(ParamArrayAttribute)) ? "params " : "")}{types.Write(x.ParameterType, Annotations.Of(x))} {x.Name}{Default(x)}"
                )
        );

    private static string Default(ParameterInfo parameter) =>
        !parameter.HasDefaultValue
            ? ""
            : " = "
                + parameter.RawDefaultValue switch
                {
                    null => parameter.ParameterType.IsValueType && Nullable.GetUnderlyingType(parameter.ParameterType) == null
                        ? "default"
                        : "null",
                    bool flag => flag ? "true" : "false",
                    string text => $"\"{text}\"",
                    var value => Convert.ToString(value, CultureInfo.InvariantCulture),
                };

    private static ApiLine? PropertyLine(Type type, PropertyInfo property)
    {
        var accessors = new[] { property.GetMethod, property.SetMethod }
            .Select(x => (Method: x, Access: x == null ? null : Access(x)))
            .Where(x => x.Access != null)
            .ToList();
        if (accessors.Count == 0)
            return null;
        var access = accessors
            .Select(x => x.Access!)
            .MinBy(x => Array.IndexOf(["public", "protected internal", "protected", "internal", "private protected"], x))!;
        var shown = accessors.Select(x => (x.Access == access ? "" : x.Access + " ") + AccessorName(x.Method!) + ";");
        var types = new TypeText();
        var text = $"{property.Name} {{ {string.Join(" ", shown)} }} -> {types.Write(property.PropertyType, Annotations.Of(property))}";
        var modifiers = Modifiers(accessors[0].Method!) + (property.IsDefined(typeof(RequiredMemberAttribute)) ? " required" : "");
        return Line(type, (text, types.Oblivious), "property", access, modifiers.Trim());
    }

    private static string AccessorName(MethodInfo accessor) =>
        accessor.ReturnType != typeof(void) ? "get"
        : accessor.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(IsExternalInit)) ? "init"
        : "set";

    private static (string Text, bool Oblivious) FieldText(FieldInfo field)
    {
        var types = new TypeText();
        var value = !field.IsLiteral
            ? ""
            : " = "
                + field.GetRawConstantValue() switch
                {
                    string text => $"<string of {text.Length} characters>",
                    var number => Convert.ToString(number, CultureInfo.InvariantCulture),
                };
        return ($"{field.Name}{value} -> {types.Write(field.FieldType, Annotations.Of(field))}", types.Oblivious);
    }

    private static string Modifiers(MethodInfo method)
    {
        var words = new List<string>();
        if (method.IsStatic)
            words.Add("static");
        else if (method.IsVirtual && !method.DeclaringType!.IsInterface && method.GetBaseDefinition() != method)
            words.Add(method.IsFinal ? "sealed override" : "override");
        else if (method.IsAbstract && !method.DeclaringType!.IsInterface)
            words.Add("abstract");
        else if (method is { IsVirtual: true, IsFinal: false } && !method.DeclaringType!.IsInterface)
            words.Add("virtual");
        if (IsObsolete(method))
            words.Add("obsolete");
        return string.Join(" ", words);
    }

    private static bool IsExtension(MethodInfo method) => method.IsDefined(typeof(ExtensionAttribute));

    private static bool IsGenerated(MemberInfo member) => member.IsDefined(typeof(CompilerGeneratedAttribute));

    // A type with required members has constructors that the compiler marks as obsolete for older compilers.
    private static bool IsObsolete(MemberInfo member) =>
        member.IsDefined(typeof(ObsoleteAttribute)) && !member.IsDefined(typeof(CompilerFeatureRequiredAttribute));

    private static string? Access(MethodBase member) =>
        Access(member.IsPublic, member.IsFamily, member.IsFamilyOrAssembly, member.IsFamilyAndAssembly, member.IsAssembly);

    private static string? Access(FieldInfo member) =>
        Access(member.IsPublic, member.IsFamily, member.IsFamilyOrAssembly, member.IsFamilyAndAssembly, member.IsAssembly);

    private static string? Access(bool isPublic, bool isProtected, bool isProtectedInternal, bool isPrivateProtected, bool isInternal) =>
        isPublic ? "public"
        : isProtected ? "protected"
        : isProtectedInternal ? "protected internal"
        : isPrivateProtected ? "private protected"
        : isInternal ? "internal"
        : null;
}

/// <summary>A type or member in the form of the baseline.</summary>
/// <param name="Text">Signature, kind, accessibility and modifiers.</param>
/// <param name="Type">The qualified name of the type, or of the type that declares the member.</param>
/// <param name="Accessibility">As declared.</param>
internal sealed record ApiLine(string Text, string Type, string Accessibility)
{
    /// <summary>Can be reached from other assemblies, or could if the type were public.</summary>
    internal bool IsVisible => Accessibility is "public" or "protected" or "protected internal";

    /// <summary>
    /// The text without what does not count: the length of SQL constants, which are our own, and the word "implicit", which a compiled
    /// assembly does not tell.
    /// </summary>
    internal static string Normalize(string line)
    {
        var start = line.IndexOf("<string of ", StringComparison.Ordinal);
        if (start >= 0)
            line = line[..start] + "<string>" + line[(line.IndexOf('>', start) + 1)..];
        return string.Join(" | ", line.Split(" | ").Select(x => x.Trim() == "implicit" ? "" : x.Trim())).TrimEnd(' ', '|');
    }
}
