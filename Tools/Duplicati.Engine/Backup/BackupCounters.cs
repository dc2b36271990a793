// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;

namespace Duplicati.Engine.Backup;

/// <summary>What a backup has seen so far. Thread-safe.</summary>
internal sealed class BackupCounters
{
    private long m_files;
    private long m_folders;
    private long m_symlinks;
    private long m_bytes;
    private long m_skipped;
    private string? m_failed;

    internal long Files => Volatile.Read(ref m_files);

    internal long Folders => Volatile.Read(ref m_folders);

    internal long Symlinks => Volatile.Read(ref m_symlinks);

    /// <summary>Bytes of the files listed.</summary>
    internal long Bytes => Volatile.Read(ref m_bytes);

    /// <summary>Entries that could not be read.</summary>
    internal long SkippedEntries => Volatile.Read(ref m_skipped);

    internal void Examined(SourceEntry entry)
    {
        switch (entry.Kind)
        {
            case SourceKind.File:
                Interlocked.Increment(ref m_files);
                Interlocked.Add(ref m_bytes, entry.Length);
                break;
            case SourceKind.Folder:
                Interlocked.Increment(ref m_folders);
                break;
            default:
                Interlocked.Increment(ref m_symlinks);
                break;
        }
    }

    /// <summary>The first of them that its disk could not give; null if there is none.</summary>
    internal string? FirstFailed => Volatile.Read(ref m_failed);

    /// <param name="path">What could not be read.</param>
    /// <param name="failure">Why, if there was an error.</param>
    internal void Skipped(string path, Exception? failure)
    {
        Interlocked.Increment(ref m_skipped);
        if (failure is not null && DiskSpace.IsFailure(failure))
            Interlocked.CompareExchange(ref m_failed, path, null);
    }
}
