// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using System.Text.RegularExpressions;

namespace Duplicati.UnitTest.Support;

/// <summary>The statements of the product: every constant, in whatever class, whose text begins as one does.</summary>
internal static partial class SqlConstants
{
    internal static IEnumerable<(Type Type, string Name, string Sql)> In(params Assembly[] assemblies) =>
        from assembly in assemblies
        from type in assembly.GetTypes()
        from constant in type.GetFields(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly)
        where constant is { IsLiteral: true } && constant.FieldType == typeof(string)
        let sql = ((string)constant.GetRawConstantValue()!).Trim()
        where IsStatement(sql)
        select (type, $"{type.Name}.{constant.Name}", sql);

    /// <summary>Whether a text begins as a statement does. A verb alone, without what it works on, is a part of one.</summary>
    internal static bool IsStatement(string sql) => Start().IsMatch(sql);

    [GeneratedRegex("""^(\s*--[^\n]*\n)*\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH|CREATE)\s([^;]*["(*_]|[^;]*\bFROM\s)""")]
    private static partial Regex Start();
}
