namespace Duplicati.Engine.Configuration;

/// <summary>What index volumes hold (upstream option <c>index-file-policy</c>).</summary>
public enum IndexPolicy
{
    /// <summary>The blocks of each block volume, and the blocklists made while it was filled.</summary>
    Full,

    /// <summary>The blocks only: a recreate has to read the block volumes that hold blocklists.</summary>
    Lookup,

    /// <summary>No index volumes at all: a recreate reads every block volume.</summary>
    None,
}
