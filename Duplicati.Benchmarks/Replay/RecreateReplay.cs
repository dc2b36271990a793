// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Replay;

/// <summary>What a recreate asks.</summary>
internal interface IRecreateCalls : IDatabaseCalls
{
    long AddMetadata(RecordedBlockset metadata);

    void AddEntry(long version, long prefix, RecordedFile file, long modified, long blockset, long metadata);

    /// <summary>The content is one block.</summary>
    void AddSmall(RecordedBlockset content);

    void AddBlock(RecordedBlock block, long volume);

    void AddList(string list, IReadOnlyList<string> hashes);

    /// <summary>Makes blocksets of what has come.</summary>
    /// <exception cref="InvalidOperationException">Something is missing.</exception>
    void Resolve();

    void Clean();

    void Check();
}

/// <summary>Makes a database anew from what the file lists and index volumes say, call by call as core does.</summary>
internal sealed class RecreateReplay
{
    private readonly RecordedBackup m_backup;
    private readonly ILookup<RecordedVolume, RecordedBlock> m_blocks;
    private readonly Dictionary<RecordedBlock, string[]> m_lists = new(ReferenceEqualityComparer.Instance);

    public RecreateReplay(RecordedBackup backup)
    {
        m_backup = backup;
        m_blocks = backup.BlocksByVolume;
        foreach (var content in backup.Blocksets)
        {
            foreach (var (position, list) in content.Lists.Index())
                m_lists[list] =
                [
                    .. content.Blocks.Skip(position * backup.HashesInList).Take(backup.HashesInList).Select(block => block.Hash),
                ];
        }
    }

    public void Run(IRecreateCalls calls, CancellationToken token)
    {
        var links = m_backup.Links.Where(link => m_blocks.Contains(link.Blocks)).ToList();
        foreach (var (index, blocks) in links)
        {
            calls.RegisterVolume(blocks);
            calls.RegisterVolume(index);
        }

        var lists = m_backup.Versions.Select(version => (version, calls.RegisterVolume(version.List))).ToList();
        foreach (var (version, list) in lists)
            ReadList(calls, version, list, token);
        foreach (var (index, blocks) in links)
        {
            token.ThrowIfCancellationRequested();
            ReadIndex(calls, index, blocks);
        }

        calls.Commit();
        calls.Resolve();
        calls.Clean();
        calls.Check();
        calls.Commit();
    }

    private void ReadList(IRecreateCalls calls, RecordedVersion version, long list, CancellationToken token)
    {
        calls.FinishVolume(version.List);
        var fileset = calls.CreateVersion(list, version.Time);
        calls.SetFull(fileset);
        foreach (var (file, modified, _) in version.Entries)
        {
            token.ThrowIfCancellationRequested();
            var prefix = calls.Prefix(file.Prefix);
            var content = file.Content is { } recorded ? calls.AddBlockset(recorded) : file.Kind;
            calls.AddEntry(fileset, prefix, file, modified, content, calls.AddMetadata(file.Metadata));
            if (file.Content is { Blocks.Count: 1 } small)
                calls.AddSmall(small);
            if (file.Metadata.Blocks.Count == 1)
                calls.AddSmall(file.Metadata);
        }

        calls.Commit();
    }

    private void ReadIndex(IRecreateCalls calls, RecordedVolume index, RecordedVolume blocks)
    {
        calls.FinishVolume(index);
        var volume = calls.FindVolume(blocks);
        foreach (var block in m_blocks[blocks])
            calls.AddBlock(block, volume);
        calls.FinishVolume(blocks);
        calls.Link(calls.FindVolume(index), volume);
        foreach (var block in m_blocks[blocks])
        {
            if (m_lists.TryGetValue(block, out var hashes))
                calls.AddList(block.Hash, hashes);
        }
    }
}
