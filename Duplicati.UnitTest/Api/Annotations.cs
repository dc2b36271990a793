// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.ObjectModel;
using System.Reflection;

namespace Duplicati.UnitTest.Api;

/// <summary>
/// The nullability and the tuple names that the compiler noted for one type in a signature, consumed in its order: outermost first.
/// </summary>
internal sealed class Annotations
{
    /// <summary>Nothing is known of nullability here.</summary>
    internal const byte OBLIVIOUS = 0;

    /// <summary>May be null.</summary>
    internal const byte NULLABLE = 2;

    private const string NULLABLE_ATTRIBUTE = "System.Runtime.CompilerServices.NullableAttribute";
    private const string CONTEXT_ATTRIBUTE = "System.Runtime.CompilerServices.NullableContextAttribute";
    private const string TUPLE_ATTRIBUTE = "System.Runtime.CompilerServices.TupleElementNamesAttribute";

    private readonly byte m_default;
    private readonly byte[]? m_flags;
    private readonly string?[] m_names;
    private int m_nextFlag;
    private int m_nextName;

    private Annotations(IList<CustomAttributeData> attributes, byte context)
    {
        m_default = context;
        switch (Argument(attributes, NULLABLE_ATTRIBUTE))
        {
            case byte single:
                m_default = single;
                break;
            case ReadOnlyCollection<CustomAttributeTypedArgument> several:
                m_flags = [.. several.Select(x => (byte)x.Value!)];
                break;
        }
        m_names = Argument(attributes, TUPLE_ATTRIBUTE) is ReadOnlyCollection<CustomAttributeTypedArgument> names
            ? [.. names.Select(x => (string?)x.Value)]
            : [];
    }

    /// <summary>Of a parameter or of a return value.</summary>
    internal static Annotations Of(ParameterInfo parameter) => new(parameter.GetCustomAttributesData(), Context(parameter.Member));

    /// <summary>Of a property or a field.</summary>
    internal static Annotations Of(MemberInfo member) => new(member.GetCustomAttributesData(), Context(member.DeclaringType));

    /// <summary>What holds in a method or type where nothing else is said.</summary>
    internal static byte Context(MemberInfo? member)
    {
        for (; member != null; member = member.DeclaringType)
            if (Argument(member.GetCustomAttributesData(), CONTEXT_ATTRIBUTE) is byte context)
                return context;
        return OBLIVIOUS;
    }

    internal byte NextFlag() => m_flags == null ? m_default : m_flags[m_nextFlag++];

    internal string?[] NextNames(int count)
    {
        var names = new string?[count];
        for (var i = 0; i < count && m_nextName < m_names.Length; i++)
            names[i] = m_names[m_nextName++];
        return names;
    }

    private static object? Argument(IList<CustomAttributeData> attributes, string name) =>
        attributes.FirstOrDefault(x => x.AttributeType.FullName == name)?.ConstructorArguments.FirstOrDefault().Value;
}
