// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Paths;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>
/// What one opened volume is needed for: its blocks, looked up once (about 150 bytes each), and, for each stream, a copy of
/// the missing uses of them (24 bytes each).
/// </summary>
internal sealed class VolumePatches : LocalRestoreDatabase.IFilesAndMetadata
{
    // RestoreBlockMissing.
    private const string MissingUsesOfBlock = """
        SELECT "FileID", "Index" FROM temp."RestoreBlock" WHERE "BlockID" = ?1 AND "Restored" = 0 AND "Metadata" = ?2
        """;

    private readonly DatabaseSession m_session;
    private readonly RestoreFileList m_list;
    private readonly long m_blocksize;
    private readonly List<FileBlock> m_blocks;
    private Action? m_commit;

    private VolumePatches(DatabaseSession session, RestoreFileList list, long blocksize, List<FileBlock> blocks, Action commit)
    {
        m_session = session;
        m_list = list;
        m_blocksize = blocksize;
        m_blocks = blocks;
        m_commit = commit;
    }

    /// <summary>
    /// Looks the blocks of a volume up; the connection lock must be held. Blocks the database does not know are left out.
    /// </summary>
    internal static VolumePatches Create(
        DatabaseSession session,
        RestoreFileList list,
        IEnumerable<KeyValuePair<string, long>> listing,
        long blocksize,
        Action commit
    )
    {
        list.Blocks.Build();
        var known = new Dictionary<long, FileBlock>();
        using var lookup = session.Take(BlockSql.FindId);
        foreach (var (hash, size) in listing)
        {
            var id = lookup.Bind(1, hash).Bind(2, size).ExecuteInt64();
            if (id >= 0)
                known.TryAdd(id, new FileBlock(0, id, hash, size));
        }

        return new VolumePatches(session, list, blocksize, [.. known.Values], commit);
    }

    public IAsyncEnumerable<LocalRestoreDatabase.IVolumePatch> FilesWithMissingBlocksAsync(CancellationToken token) =>
        m_session.SnapshotAsync(session => Read(session, false), token);

    public IAsyncEnumerable<LocalRestoreDatabase.IVolumePatch> MetadataWithMissingBlocksAsync(CancellationToken token) =>
        m_session.SnapshotAsync(session => Read(session, true), token);

    public void Dispose() => Interlocked.Exchange(ref m_commit, null)?.Invoke();

    public ValueTask DisposeAsync()
    {
        try
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
        catch (Exception ex)
        {
            return ValueTask.FromException(ex);
        }
    }

    private List<Patch> Read(DatabaseSession session, bool isMetadata)
    {
        var uses = ReadUses(session, isMetadata);
        uses.Sort(static (a, b) => a.File != b.File ? a.File.CompareTo(b.File) : a.Index.CompareTo(b.Index));
        var targets = m_list.Targets();
        var patches = new List<Patch>();
        for (var start = 0; start < uses.Count; )
        {
            var end = start + 1;
            while (end < uses.Count && uses[end].File == uses[start].File)
                end++;
            if (RestoreEntry.Read(session, uses[start].File) is { } entry)
                patches.Add(new Patch(this, uses, start, end, targets.Of(entry.Id, entry.Path), entry.Id));
            start = end;
        }

        patches.Sort(static (a, b) => BinaryOrder.Instance.Compare(a.Path, b.Path));
        return patches;
    }

    private List<Use> ReadUses(DatabaseSession session, bool isMetadata)
    {
        var uses = new List<Use>();
        using var rows = session.Take(MissingUsesOfBlock);
        for (var block = 0; block < m_blocks.Count; block++)
        {
            rows.Bind(1, m_blocks[block].BlockId).Bind(2, isMetadata ? 1 : 0);
            while (rows.Read())
                uses.Add(new Use(rows.GetInt64(0), rows.GetInt64(1), block));
        }

        return uses;
    }

    private readonly record struct Use(long File, long Index, int Block);

    private sealed record Patch(VolumePatches Owner, List<Use> Uses, int Start, int End, string Path, long FileID)
        : LocalRestoreDatabase.IVolumePatch
    {
        public IAsyncEnumerable<LocalRestoreDatabase.IPatchBlock> BlocksAsync(CancellationToken token) => Blocks().ToAsyncEnumerable();

        private IEnumerable<LocalRestoreDatabase.IPatchBlock> Blocks()
        {
            for (var i = Start; i < End; i++)
            {
                var block = Owner.m_blocks[Uses[i].Block];
                yield return new PatchBlock(Uses[i].Index * Owner.m_blocksize, block.Size, block.Hash);
            }
        }
    }

    private sealed record PatchBlock(long Offset, long Size, string Key) : LocalRestoreDatabase.IPatchBlock;
}
