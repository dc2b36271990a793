namespace Duplicati.Benchmarks.Micro;

/// <summary>Puts a benchmark class in a group that <c>micro --group</c> runs. That is all that is needed for a class to be found.</summary>
[AttributeUsage(AttributeTargets.Class, Inherited = true)]
public sealed class BenchmarkGroupAttribute(string name) : Attribute
{
    /// <summary>Name of the group, lower case.</summary>
    public string Name { get; } = name;

    /// <summary>Journal and synchronous mode, where they are not those of the preset <c>default</c> or said by a parameter.</summary>
    public string? Durability { get; init; }
}
