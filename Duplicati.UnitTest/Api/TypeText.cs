// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Api;

/// <summary>Writes the types of one signature as C#, with <c>!</c> and <c>?</c> for what may not and may be null.</summary>
internal sealed class TypeText
{
    private static readonly Dictionary<Type, string> s_keywords = new()
    {
        [typeof(void)] = "void",
        [typeof(object)] = "object",
        [typeof(string)] = "string",
        [typeof(bool)] = "bool",
        [typeof(byte)] = "byte",
        [typeof(char)] = "char",
        [typeof(short)] = "short",
        [typeof(ushort)] = "ushort",
        [typeof(int)] = "int",
        [typeof(uint)] = "uint",
        [typeof(long)] = "long",
        [typeof(ulong)] = "ulong",
        [typeof(float)] = "float",
        [typeof(double)] = "double",
        [typeof(decimal)] = "decimal",
    };

    /// <summary>Whether a reference type was written of whose nullability nothing is known.</summary>
    internal bool Oblivious { get; private set; }

    /// <summary>The qualified name of a type as it is declared, with its type parameters.</summary>
    internal static string Declared(Type type)
    {
        var name = PlainName(type);
        return type.IsGenericType ? $"{name}<{string.Join(", ", type.GetGenericArguments().Select(x => x.Name))}>" : name;
    }

    /// <summary>A type without any word on nullability, for lists of base types.</summary>
    internal static string Unannotated(Type type)
    {
        var name = s_keywords.TryGetValue(type, out var keyword) ? keyword : PlainName(type);
        return type.IsGenericType ? $"{name}<{string.Join(", ", type.GetGenericArguments().Select(Unannotated))}>" : name;
    }

    internal string Write(Type type, Annotations annotations)
    {
        if (type.IsGenericParameter)
            return type.Name + (annotations.NextFlag() == Annotations.NULLABLE ? "?" : "");
        if (Nullable.GetUnderlyingType(type) is { } underlying)
            return Write(underlying, annotations) + "?";
        if (!type.IsValueType)
            return WriteReference(type, annotations);
        if (!type.IsGenericType)
            return Unannotated(type);
        // A generic value type has a flag that says nothing.
        annotations.NextFlag();
        return IsTuple(type) ? WriteTuple(type, annotations) : WriteGeneric(type, annotations);
    }

    private string WriteReference(Type type, Annotations annotations)
    {
        var flag = annotations.NextFlag();
        Oblivious |= flag == Annotations.OBLIVIOUS;
        var text =
            type.IsArray ? Write(type.GetElementType()!, annotations) + "[]"
            : type.IsGenericType ? WriteGeneric(type, annotations)
            : Unannotated(type);
        return text
            + flag switch
            {
                Annotations.OBLIVIOUS => "",
                Annotations.NULLABLE => "?",
                _ => "!",
            };
    }

    private string WriteGeneric(Type type, Annotations annotations) =>
        $"{PlainName(type)}<{string.Join(", ", type.GetGenericArguments().Select(x => Write(x, annotations)))}>";

    private string WriteTuple(Type type, Annotations annotations)
    {
        var items = type.GetGenericArguments();
        var names = annotations.NextNames(items.Length);
        return "(" + string.Join(", ", items.Select((x, i) => Write(x, annotations) + (names[i] == null ? "" : " " + names[i]))) + ")";
    }

    private static bool IsTuple(Type type) =>
        type.GetGenericTypeDefinition().FullName!.StartsWith("System.ValueTuple`", StringComparison.Ordinal);

    private static string PlainName(Type type)
    {
        var name = type.Name.Split('`')[0];
        return type.DeclaringType == null ? $"{type.Namespace}.{name}" : $"{PlainName(type.DeclaringType)}.{name}";
    }
}
