// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Replay;

/// <summary>What a backup and a recreate ask of a database. Opening one begins; disposing closes it.</summary>
internal interface IDatabaseCalls : IDisposable
{
    /// <summary>The id of a volume; -1 if there is none of that name.</summary>
    long FindVolume(RecordedVolume volume);

    long RegisterVolume(RecordedVolume volume);

    /// <summary>The volume has been uploaded: its size and hash are known.</summary>
    void FinishVolume(RecordedVolume volume);

    void Link(long index, long blocks);

    long CreateVersion(long list, long time);

    void SetFull(long version);

    long Prefix(string prefix);

    long AddBlockset(RecordedBlockset content);

    void Commit();
}

/// <summary>What a backup asks.</summary>
internal interface IBackupCalls : IDatabaseCalls
{
    /// <summary>The newest version; -1 if there is none.</summary>
    long NewestVersion();

    /// <summary>The id of a file in a version, -1 if it is not there; with its metadata and lengths.</summary>
    long Find(long prefix, string name, long version);

    string? FileHash(long file);

    /// <returns>False if it was there already.</returns>
    bool AddBlock(RecordedBlock block, long volume);

    /// <summary>All blocks are there.</summary>
    void BuildIndexes();

    long AddMetadata(RecordedBlockset metadata, long blockset);

    void AddFile(long prefix, string name, long modified, long blockset, long metadata);

    void AddKnown(long file, long modified);

    /// <summary>Checks the database, and that all file lists are whole if asked to.</summary>
    void Check(bool lists);

    /// <summary>Counts what was added, deleted and modified since another version.</summary>
    long CountChanges(long version, long previous);
}

/// <summary>Makes a version of a recorded backup again, call by call as core does, but for reading files and for volumes.</summary>
internal sealed class BackupReplay(RecordedBackup backup, IBackupCalls calls)
{
    private readonly Dictionary<RecordedVolume, long> m_volumes = new(ReferenceEqualityComparer.Instance);
    private readonly HashSet<RecordedVolume> m_new = new(ReferenceEqualityComparer.Instance);

    /// <summary>Makes the version of a number, 0 for the oldest.</summary>
    /// <returns>What has changed since the version before.</returns>
    public long Run(int number, CancellationToken token)
    {
        var version = backup.Versions[number];
        calls.Check(lists: true);
        var previous = calls.NewestVersion();
        var fileset = calls.CreateVersion(calls.RegisterVolume(version.List), version.Time);
        calls.Commit();
        foreach (var entry in version.Entries)
        {
            token.ThrowIfCancellationRequested();
            Add(entry, previous);
        }

        foreach (var (index, blocks) in backup.Links.Where(link => m_new.Contains(link.Blocks)))
        {
            var id = calls.RegisterVolume(index);
            calls.FinishVolume(blocks);
            calls.FinishVolume(index);
            calls.Link(id, m_volumes[blocks]);
            calls.Commit();
        }

        calls.Check(lists: false);
        var changes = calls.CountChanges(fileset, previous);
        calls.SetFull(fileset);
        calls.FinishVolume(version.List);
        calls.Commit();
        return changes;
    }

    private void Add(RecordedEntry entry, long previous)
    {
        var file = entry.File;
        var prefix = calls.Prefix(file.Prefix);
        var content = file.Kind;
        if (file.Content is { } recorded)
        {
            var known = calls.Find(prefix, file.Name, previous);
            if (known >= 0 && entry.IsKnown)
            {
                calls.AddKnown(known, entry.Modified);
                return;
            }

            if (known >= 0)
                calls.FileHash(known);
            content = AddContent(recorded);
        }

        var metadata = calls.AddMetadata(file.Metadata, AddContent(file.Metadata));
        calls.AddFile(prefix, file.Name, entry.Modified, content, metadata);
    }

    private long AddContent(RecordedBlockset content)
    {
        foreach (var block in content.Blocks)
            calls.AddBlock(block, VolumeOf(block));
        foreach (var list in content.Lists)
            calls.AddBlock(list, VolumeOf(list));
        return calls.AddBlockset(content);
    }

    private long VolumeOf(RecordedBlock block)
    {
        if (m_volumes.TryGetValue(block.Volume, out var id))
            return id;
        id = calls.FindVolume(block.Volume);
        if (id < 0)
        {
            id = calls.RegisterVolume(block.Volume);
            m_new.Add(block.Volume);
            calls.Commit();
        }

        m_volumes.Add(block.Volume, id);
        return id;
    }
}
