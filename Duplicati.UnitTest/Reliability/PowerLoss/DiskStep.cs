// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Reliability.PowerLoss;

/// <summary>What was done to the files of a folder.</summary>
internal enum DiskStepKind
{
    /// <summary>A file got its name.</summary>
    Create,

    /// <summary>Bytes were written.</summary>
    Write,

    /// <summary>A file was cut off or made longer.</summary>
    Truncate,

    /// <summary>What was written to a file was flushed.</summary>
    Sync,

    /// <summary>A file got another name, and the one that had it lost it.</summary>
    Rename,

    /// <summary>A file lost its name.</summary>
    Unlink,

    /// <summary>The names in the folder were flushed.</summary>
    SyncFolder,

    /// <summary>The test was told that what it had done so far is done.</summary>
    Mark,
}

/// <summary>One step. <paramref name="File"/> is a number that a file keeps whatever its name.</summary>
/// <param name="Kind">What was done.</param>
/// <param name="File">Which file; 0 for the folder and for marks.</param>
/// <param name="Name">Its name in the folder at that time.</param>
/// <param name="Offset">Where was written; the new length of a truncated file.</param>
/// <param name="Data">What was written.</param>
/// <param name="Target">The new name.</param>
internal sealed record DiskStep(DiskStepKind Kind, int File = 0, string Name = "", long Offset = 0, byte[]? Data = null, string Target = "")
{
    /// <summary>At these a loss of power makes a difference that it does not make a step earlier.</summary>
    public bool IsSync => Kind is DiskStepKind.Sync or DiskStepKind.SyncFolder;
}
