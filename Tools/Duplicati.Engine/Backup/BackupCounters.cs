// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Backup;

/// <summary>What a backup has seen so far. Thread-safe.</summary>
internal sealed class BackupCounters
{
    private long m_files;
    private long m_folders;
    private long m_symlinks;
    private long m_bytes;
    private long m_skipped;

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

    internal void Skipped() => Interlocked.Increment(ref m_skipped);
}
