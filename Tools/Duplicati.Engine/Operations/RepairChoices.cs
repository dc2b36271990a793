namespace Duplicati.Engine.Operations;

/// <summary>What a repair may do beyond the harmless.</summary>
public sealed record RepairChoices
{
    /// <summary>Make missing block volumes anew from source files, their metadata and other volumes. Otherwise a missing one is an error.</summary>
    public bool RebuildMissingBlockVolumes { get; init; }

    /// <summary>Refuse a block volume of which only a part can be found, instead of keeping that part.</summary>
    public bool DisablePartialRecovery { get; init; }

    /// <summary>
    /// Make volumes anew that are there but not whole, as far as their size tells; block volumes only together with
    /// <see cref="RebuildMissingBlockVolumes"/>. Otherwise they are kept and named.
    /// </summary>
    public bool ReplaceDamagedVolumes { get; init; }

    /// <summary>Go on when the remote folder has versions newer than the database.</summary>
    public bool IgnoreOutdatedDatabase { get; init; }

    /// <summary>Delete volumes of this backup in the remote folder that the database does not know and cannot use. Otherwise they are kept and named.</summary>
    public bool DeleteUnknownFiles { get; init; }

    /// <summary>Whether anything may be deleted that nothing replaces.</summary>
    internal bool Discards => DeleteUnknownFiles;
}
