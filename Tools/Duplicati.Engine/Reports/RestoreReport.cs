// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Reports;

/// <summary>What a restore did.</summary>
/// <param name="Version">The version restored, 0 = newest.</param>
/// <param name="Files">Files written and verified, or found to be there already.</param>
/// <param name="Folders">Folders made.</param>
/// <param name="Symlinks">Symbolic links made.</param>
/// <param name="Bytes">Bytes of those files.</param>
/// <param name="Volumes">Block volumes read.</param>
/// <param name="Failed">Target paths of files that could not be restored completely, and of links that could not be made.</param>
public sealed record RestoreReport(
    long Version,
    long Files,
    long Folders,
    long Symlinks,
    long Bytes,
    int Volumes,
    IReadOnlyList<string> Failed
)
{
    /// <summary>Files and symbolic links that were there and were left as they are.</summary>
    public long Skipped { get; init; }

    /// <summary>Whether the version is complete; otherwise only what it holds could be restored.</summary>
    public bool IsFull { get; init; } = true;

    /// <summary>Files that were compared once more at the end; null if that was not asked for.</summary>
    public long? Verified { get; init; }

    /// <summary>Target paths of files found to have other content than the version, without the failed ones.</summary>
    public IReadOnlyList<string> Different { get; init; } = [];

    /// <summary>
    /// What is wrong with the file list of the version, so that entries are missing; known only where it was read for the restore.
    /// </summary>
    public IReadOnlyList<string> ListProblems { get; init; } = [];

    /// <summary>Whether blocks were found nowhere: of files, which failed then, or of metadata.</summary>
    public bool HasLostBlocks { get; init; }

    /// <summary>What was to be restored and is not in the version.</summary>
    public IReadOnlyList<string> NotFound { get; init; } = [];
}

/// <summary>What a restore takes, and what it does with files that are there already.</summary>
public sealed record RestoreChoices
{
    /// <summary>
    /// Versions, 0 = newest: the newest of them that holds a wanted file is restored. None for the newest complete one.
    /// </summary>
    public IReadOnlyCollection<long> Versions { get; init; } = [];

    /// <summary>Instead of <see cref="Versions"/>: the newest version that is not younger than this time, local or UTC.</summary>
    public DateTime? Time { get; init; }

    /// <summary>Source paths, which take all below them, and patterns; none for all.</summary>
    public IReadOnlyCollection<string> Include { get; init; } = [];

    /// <summary>Source paths, which take all below them, and patterns of what is left out.</summary>
    public IReadOnlyCollection<string> Exclude { get; init; } = [];

    /// <summary>What is done with other files of the same name.</summary>
    public ExistingFileChoice Existing { get; init; }

    /// <summary>Restore also owners, and extended attributes that give rights; those of the files come from the remote folder.</summary>
    public bool Privileges { get; init; }

    /// <summary>Compare every file once more when all is done, those that were there before as well.</summary>
    public bool Verify { get; init; }
}

/// <summary>
/// What a restore does with files in the way that have other content. Those with the right content get their metadata only.
/// </summary>
public enum ExistingFileChoice
{
    /// <summary>They stay; the restored file gets a name of its own beside.</summary>
    Keep,

    /// <summary>They are replaced, each when the restored file is complete.</summary>
    Overwrite,

    /// <summary>They stay, whatever is in them, and nothing is restored for them.</summary>
    Skip,
}
