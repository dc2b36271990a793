namespace Duplicati.Benchmarks.Micro;

/// <summary>Names the value of a parameter that the other values are compared with; a column shows the ratio of the times.</summary>
[AttributeUsage(AttributeTargets.Class, Inherited = true)]
public sealed class BaselineVariantAttribute(string parameter, string value) : Attribute
{
    /// <summary>Name of the parameter.</summary>
    public string Parameter { get; } = parameter;

    /// <summary>The value to compare with, as text.</summary>
    public string Value { get; } = value;
}
