// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Main.Blocks;
using Duplicati.UnitTest.Main.LocalDatabaseTests;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>Calls members by reflection with arguments that mostly make sense, and everything on the objects that they return.</summary>
internal sealed class AnyMember(int seed)
{
    private static readonly MethodInfo s_drain = typeof(AnyMember).GetMethod(
        nameof(DrainAsync),
        BindingFlags.Static | BindingFlags.NonPublic
    )!;

    private readonly Random m_random = new(seed);

    /// <summary>What can be called on a type and the types it is made from, except what ends it.</summary>
    internal static MethodInfo[] Of(Type type) =>
        [
            .. type.GetMethods(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
                .Where(x =>
                    (x.IsPublic || x.IsAssembly)
                    && !x.IsGenericMethodDefinition
                    && x.DeclaringType!.Assembly == typeof(LocalDatabase).Assembly
                )
                .Where(x =>
                    !x.Name.StartsWith("Dispose", StringComparison.Ordinal)
                    && !x.Name.StartsWith('<')
                    && (!x.IsSpecialName || x.Name.StartsWith("get_", StringComparison.Ordinal))
                )
                .Where(x => x.GetParameters().All(y => CanMake(y.ParameterType))),
        ];

    /// <summary>Calls a member, awaits or reads to the end what it returns, and does the same with a returned object's members.</summary>
    /// <returns>What was returned, as text.</returns>
    internal async Task<string> CallAsync(object target, MethodInfo method)
    {
        object? result;
        try
        {
            result = method.Invoke(target, [.. method.GetParameters().Select(x => Make(x.ParameterType, x.Name!))]);
        }
        catch (TargetInvocationException ex)
        {
            throw ex.InnerException!;
        }

        if (result is Task task)
        {
            await task;
            result = task.GetType().GetProperty("Result")?.GetValue(task);
        }

        if (result is null)
            return "";
        if (
            result
                .GetType()
                .GetInterfaces()
                .FirstOrDefault(x => x.IsGenericType && x.GetGenericTypeDefinition() == typeof(IAsyncEnumerable<>)) is
            { } stream
        )
            return await (Task<string>)s_drain.MakeGenericMethod(stream.GenericTypeArguments).Invoke(null, [result])!;
        if (result is IDisposable && !method.IsSpecialName && result.GetType().Assembly == typeof(LocalDatabase).Assembly)
            return await CallAllAsync(result);
        return TextOf(result);
    }

    private async Task<string> CallAllAsync(object result)
    {
        var texts = new List<string>();
        try
        {
            foreach (var method in result.GetType().GetInterfaces().SelectMany(Of))
                texts.Add(await CallAsync(result, method));
        }
        finally
        {
            (result as IDisposable)?.Dispose();
        }

        return string.Join('\n', texts);
    }

    private static async Task<string> DrainAsync<T>(IAsyncEnumerable<T> rows)
    {
        var texts = new List<string>();
        await foreach (var row in rows)
            texts.Add(TextOf(row));
        return string.Join('\n', texts);
    }

    // Fields are those of tuples.
    private static string TextOf(object? value) =>
        value switch
        {
            null => "",
            string or IFormattable => $"{value}",
            System.Collections.IEnumerable items => string.Join(',', items.Cast<object?>().Select(TextOf)),
            _ when value.GetType().Namespace == nameof(System) => string.Join(
                '|',
                value.GetType().GetFields().Select(x => TextOf(x.GetValue(value)))
            ),
            _ => string.Join(
                '|',
                value
                    .GetType()
                    .GetProperties()
                    .Where(x => x.GetIndexParameters().Length == 0 && !x.GetMethod!.IsStatic)
                    .Select(x => TextOf(x.GetValue(value)))
            ),
        };

    private static bool CanMake(Type type) =>
        type.IsValueType
        || type == typeof(string)
        || type == typeof(Exception)
        || type == typeof(Options)
        || type == typeof(IFilter)
        || type == typeof(IMetahash)
        || type == typeof(BackupResults)
        || type == typeof(IBasicResults)
        || type == typeof(Func<string, long, bool>)
        || type == typeof(Library.Main.Volumes.FilesetVolumeWriter)
        || type == typeof(IDictionary<string, string>)
        || ElementOf(type) is not null;

    private static Type? ElementOf(Type type) =>
        type.IsArray ? type.GetElementType()
        : type.IsGenericType && type.GetGenericTypeDefinition() == typeof(IEnumerable<>) ? type.GenericTypeArguments[0]
        : null;

    private object? Make(Type type, string name)
    {
        if (type == typeof(string))
            return Text(name);
        if (type == typeof(long) || type == typeof(int))
            return Convert.ChangeType(Number(name), type);
        if (type == typeof(bool))
            return m_random.Next(2) == 0;
        if (type == typeof(DateTime))
            return new DateTime(m_random.Next(2) == 0 ? 0 : 638_396_640_000_000_000, DateTimeKind.Utc);
        if (type == typeof(KeyValuePair<string, long>))
            return new KeyValuePair<string, long>(Text("hash"), BackupFixture.Blocksize);
        if (type.IsEnum)
            return Enum.GetValues(type).GetValue(m_random.Next(Enum.GetValues(type).Length));
        if (type.IsValueType)
            return Activator.CreateInstance(type);
        return ElementOf(type) is { } element ? Items(element, name) : MakeObject(type);
    }

    private Array Items(Type element, string name)
    {
        var items = Array.CreateInstance(element, CanMake(element) ? m_random.Next(3) : 0);
        for (var i = 0; i < items.Length; i++)
            items.SetValue(Make(element, name), i);
        return items;
    }

    private object? MakeObject(Type type) =>
        type switch
        {
            _ when type == typeof(Options) => new Options([]),
            _ when type == typeof(IFilter) => new FilterExpression("*"),
            _ when type == typeof(IMetahash) => new BackupFixture.Metahash(BlockFixture.Hash(m_random.Next(10))),
            _ when type == typeof(BackupResults) => new BackupResults(),
            _ when type == typeof(Func<string, long, bool>) => new Func<string, long, bool>((_, size) => size % 2 == 0),
            _ when type == typeof(Library.Main.Volumes.FilesetVolumeWriter) => new RecordingFilesetWriter(),
            _ when type == typeof(IDictionary<string, string>) => new Dictionary<string, string> { ["marker"] = "1" },
            _ => null,
        };

    private string Text(string name)
    {
        if (name.Contains("field", StringComparison.OrdinalIgnoreCase))
            return "ID";
        if (name.Contains("table", StringComparison.OrdinalIgnoreCase))
            return $"Some{m_random.Next(2)}";
        if (
            name.Contains("path", StringComparison.OrdinalIgnoreCase)
            || name.Contains("folder", StringComparison.OrdinalIgnoreCase)
            || name.Contains("prefix", StringComparison.OrdinalIgnoreCase)
        )
            return $"/a{m_random.Next(6)}";
        return name.Contains("name", StringComparison.OrdinalIgnoreCase) || name == "file"
            ? $"block-{m_random.Next(1, 3)}"
            : BlockFixture.Hash(m_random.Next(10));
    }

    private long Number(string name) =>
        name.ToUpperInvariant() switch
        {
            "HASHSIZE" or "BLOCKHASHLENGTH" => 32,
            "BLOCKSIZE" or "SIZE" or "LENGTH" => BackupFixture.Blocksize,
            _ => m_random.Next(1, 5),
        };
}
