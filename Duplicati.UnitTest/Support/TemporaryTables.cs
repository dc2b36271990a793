// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.UnitTest.Support;

/// <summary>Every temporary table that a folder of the data layer declares, found by reflection, so that none can be forgotten.</summary>
internal static class TemporaryTables
{
    public static IReadOnlyList<TempTable> Fixed { get; } = [.. Declared<TempTable>()];

    public static IReadOnlyList<TempTableTemplate> Templates { get; } = [.. Declared<TempTableTemplate>()];

    private static IEnumerable<T> Declared<T>() =>
        typeof(TempTable)
            .Assembly.GetTypes()
            .Where(x => x is { IsAbstract: true, IsSealed: true })
            .SelectMany(x => x.GetFields(BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public))
            .Where(x => x.FieldType == typeof(T))
            .Select(x => (T)x.GetValue(null)!);
}
