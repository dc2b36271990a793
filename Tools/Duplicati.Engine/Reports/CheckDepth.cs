
namespace Duplicati.Engine.Reports;

/// <summary>How closely volumes are looked at.</summary>
public enum CheckDepth
{
    /// <summary>Names and sizes.</summary>
    Names,

    /// <summary>Each is fetched, and its hash compared.</summary>
    Hashes,

    /// <summary>Everything in each is read.</summary>
    Contents,
}
