
namespace Duplicati.Engine.Reports;

/// <summary>What a repair may do beyond the harmless.</summary>
public sealed record RepairChoices
{
    /// <summary>In <see cref="CheckVolumes"/>: every volume.</summary>
    public const string ALL = "all";

    /// <summary>Make missing block volumes anew from source files, their metadata and other volumes. Otherwise a missing one is an error.</summary>
    public bool RebuildMissingBlockVolumes { get; init; }

    /// <summary>Refuse a block volume of which only a part can be found, instead of keeping that part.</summary>
    public bool DisablePartialRecovery { get; init; }

    /// <summary>
    /// Names of volumes to read although their size is right, or <see cref="ALL"/>. Volumes of another size are always read. Of a damaged one, all that
    /// can be read is kept in a new one, and it is taken out of the way afterwards.
    /// </summary>
    public IReadOnlyCollection<string> CheckVolumes { get; init; } = [];

    /// <summary>Delete damaged volumes when all that can be read of them is elsewhere. Otherwise they stay in the folder under another name.</summary>
    public bool DeleteDamaged { get; init; }

    /// <summary>Go on when the remote folder has versions newer than the database.</summary>
    public bool IgnoreOutdatedDatabase { get; init; }

    /// <summary>Delete volumes of this backup in the remote folder that the database does not know and cannot use. Otherwise they are kept and named.</summary>
    public bool DeleteUnknownFiles { get; init; }

    /// <summary>Whether anything may be deleted that nothing replaces.</summary>
    internal bool Discards => DeleteUnknownFiles || DeleteDamaged;
}
