using Duplicati.Engine.Common;

namespace Duplicati.Engine.Reports;

/// <summary>Which versions a deletion takes: those named, or those that one rule does not keep. A rule never takes the newest version, nor the newest complete one.</summary>
public sealed record DeleteChoices
{
    /// <summary>Positions in the list of versions, 0 = newest.</summary>
    public IReadOnlyCollection<long> Versions { get; init; } = [];

    /// <summary>Permits to delete every version there is.</summary>
    public bool AllowAll { get; init; }

    /// <summary>Instead: number of newest complete versions to keep.</summary>
    public int? KeepVersions { get; init; }

    /// <summary>Instead: the time, local or UTC, of which older versions are deleted.</summary>
    public DateTime? KeepSince { get; init; }

    /// <summary>Instead: how many versions of which age to keep.</summary>
    public RetentionPolicy? Policy { get; init; }

    /// <summary>The time (UTC) that ages count from.</summary>
    internal DateTime Now { get; init; } = DateTime.UtcNow;
}
