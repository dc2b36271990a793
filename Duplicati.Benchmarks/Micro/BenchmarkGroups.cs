using System.Reflection;

namespace Duplicati.Benchmarks.Micro;

/// <summary>The benchmark classes of this program by group.</summary>
internal static class BenchmarkGroups
{
    private static readonly ILookup<string, Type> All = typeof(BenchmarkGroups).Assembly.GetTypes()
        .Where(type => type is { IsAbstract: false, IsPublic: true })
        .OrderBy(type => type.Name, StringComparer.Ordinal)
        .Select(type => (type, group: type.GetCustomAttribute<BenchmarkGroupAttribute>()))
        .Where(entry => entry.group is not null)
        .ToLookup(entry => entry.group!.Name, entry => entry.type, StringComparer.OrdinalIgnoreCase);

    /// <summary>The names of the groups, sorted.</summary>
    public static IReadOnlyList<string> Names { get; } = [.. All.Select(group => group.Key).Order(StringComparer.Ordinal)];

    /// <summary>The classes of a group, by name.</summary>
    public static IEnumerable<Type> Classes(string group) => All[group];

    /// <summary>Journal and synchronous mode of a group, if its classes say so.</summary>
    public static string? Durability(string group) =>
        string.Join("; ", Classes(group).Select(type => type.GetCustomAttribute<BenchmarkGroupAttribute>()?.Durability).OfType<string>().Distinct()) is { Length: > 0 } said ? said : null;
}

/// <summary>Puts a benchmark class in a group that <c>micro --group</c> runs. That is all that is needed for a class to be found.</summary>
[AttributeUsage(AttributeTargets.Class, Inherited = true)]
public sealed class BenchmarkGroupAttribute(string name) : Attribute
{
    /// <summary>Name of the group, lower case.</summary>
    public string Name { get; } = name;

    /// <summary>Journal and synchronous mode, where they are not those of the preset <c>default</c> or said by a parameter.</summary>
    public string? Durability { get; init; }
}
