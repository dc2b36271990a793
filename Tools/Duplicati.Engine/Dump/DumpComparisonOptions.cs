// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Dump;

/// <summary>What does not count as a difference.</summary>
/// <remarks>The defaults leave out history only: operations, how often a volume was tested, rows of the tables of history.</remarks>
public sealed record DumpComparisonOptions
{
    /// <summary>Content without history.</summary>
    public static DumpComparisonOptions Content { get; } = new();

    /// <summary>
    /// A database made anew from the remote volumes, against the one it replaces: folders and links have no time, files no fraction of a
    /// second, nothing is known of deleted versions and volumes, volumes may be in another state, the passphrase is salted anew, and of a
    /// block that is in several volumes another copy may be the first. Nor does anything but a database tell what restore tests have found.
    /// </summary>
    public static DumpComparisonOptions Recreated { get; } =
        new()
        {
            IgnoreFolderTimes = true,
            WholeSeconds = true,
            IgnoreUnusedPrefixes = true,
            IgnoreDeletedVolumes = true,
            IgnoreVolumeStates = true,
            IgnorePassphrase = true,
            IgnoreAllRowCounts = true,
            PoolCopies = true,
            IgnoredSections = new HashSet<string>(StringComparer.Ordinal) { DumpNames.Operations, DumpNames.RestoreTests },
        };

    /// <summary>
    /// What two databases of the same backup must agree on, whichever way each was made: <see cref="Recreated"/>, and the volume size,
    /// which is a setting for later volumes.
    /// </summary>
    public static DumpComparisonOptions Logical { get; } = Recreated with { IgnoreVolumeSize = true };

    /// <summary>Sections left out, by name.</summary>
    public IReadOnlySet<string> IgnoredSections { get; init; } = new HashSet<string>(StringComparer.Ordinal) { DumpNames.Operations };

    /// <summary>Leaves out how often a volume was tested; which ones are is drawn at random.</summary>
    public bool IgnoreVerificationCounts { get; init; } = true;

    /// <summary>Leaves out the rows of operation, remoteoperation and logdata.</summary>
    public bool IgnoreHistoryRowCounts { get; init; } = true;

    /// <summary>Leaves out all row counts.</summary>
    public bool IgnoreAllRowCounts { get; init; }

    /// <summary>Leaves out the version and the objects of the schema.</summary>
    public bool IgnoreSchema { get; init; }

    /// <summary>Leaves out the times of folders and symbolic links.</summary>
    public bool IgnoreFolderTimes { get; init; }

    /// <summary>Cuts times to whole seconds.</summary>
    public bool WholeSeconds { get; init; }

    /// <summary>Leaves out prefixes of no path in any fileset.</summary>
    public bool IgnoreUnusedPrefixes { get; init; }

    /// <summary>Leaves out volumes in state Deleted.</summary>
    public bool IgnoreDeletedVolumes { get; init; }

    /// <summary>Leaves out states and the times that go with them.</summary>
    public bool IgnoreVolumeStates { get; init; }

    /// <summary>Leaves out until when the name of a deleted volume stays known; two runs of one operation differ in it.</summary>
    public bool IgnoreDeleteTimes { get; init; }

    /// <summary>Leaves out the size at which new volumes are closed.</summary>
    public bool IgnoreVolumeSize { get; init; }

    /// <summary>Leaves out the salt and the hash of the passphrase.</summary>
    public bool IgnorePassphrase { get; init; }

    /// <summary>Does not compare which volume holds a block, nor block and index volumes at all.</summary>
    public bool IgnoreBlockPlacement { get; init; }

    /// <summary>Compares all copies of a block that are in volumes, and not which is the one in use.</summary>
    public bool PoolCopies { get; init; }
}
