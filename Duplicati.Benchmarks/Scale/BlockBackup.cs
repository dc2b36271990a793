// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Scale;

/// <summary>
/// Two versions of made-up files. The first is that of <see cref="SyntheticBackup"/>. In the second every tenth file has changed, and every
/// other block of it is new. A deletion of the first version therefore takes one block in twenty, anywhere in the tables.
/// </summary>
internal sealed class BlockBackup(long blocks, long blocksPerFile)
{
    /// <summary>Fewer cannot be divided as described.</summary>
    internal const long FewestBlocks = 100;

    private const long FewestFiles = 20;
    private const long FilesForOneChanged = 10;
    private const ulong NewBlocks = 3UL << 60;
    private const ulong NewFiles = 4UL << 60;

    /// <summary>The first version, and what a recreate reads.</summary>
    internal SyntheticBackup First { get; } = new(blocks, FileLength(blocks, blocksPerFile));

    /// <summary>Files of either version.</summary>
    internal long Files => First.Files;

    /// <summary>The blocks that the cost of a step is divided by: those added, offered, checked, deleted, or rebuilt.</summary>
    internal long BlocksOf(string step) =>
        step switch
        {
            BlockSteps.FindOrInsert => ChangedFiles * First.BlocksPerFile,
            BlockSteps.Delete => ChangedFiles * First.BlocksPerFile / 2,
            _ => First.Blocks,
        };

    /// <summary>What <see cref="BlockContent.Count"/> must give after a step.</summary>
    internal long ExpectedRows(string step) =>
        First.ExpectedRows + (step is BlockSteps.FindOrInsert or BlockSteps.Check ? RowsOfSecond : 0);

    /// <summary>Whether a file is another one in the second version.</summary>
    internal bool IsChanged(long file) => file % FilesForOneChanged == 0 && First.BlocksOf(file) == First.BlocksPerFile;

    /// <summary>A file as a backup sees it.</summary>
    internal BlockFile File(long file, bool isChanged)
    {
        var digests = new byte[First.BlocksOf(file) * SyntheticBackup.HashBytes];
        var hashes = new string[First.BlocksOf(file)];
        for (var i = 0; i < hashes.Length; i++)
        {
            var digest = digests.AsSpan(i * SyntheticBackup.HashBytes, SyntheticBackup.HashBytes);
            var number = (ulong)((file * First.BlocksPerFile) + i);
            SyntheticBackup.WriteDigest(isChanged && i % 2 == 1 ? number | NewBlocks : number, digest);
            hashes[i] = Convert.ToBase64String(digest);
        }

        var lists = new (string Hash, long Size)[First.ListsOf(file)];
        for (var i = 0; i < lists.Length; i++)
        {
            var start = i * SyntheticBackup.BlockBytes;
            var content = digests.AsSpan(start, Math.Min(SyntheticBackup.BlockBytes, digests.Length - start));
            lists[i] = (Convert.ToBase64String(SHA256.HashData(content)), content.Length);
        }

        var hash = isChanged ? SyntheticBackup.Text((ulong)file | NewFiles) : SyntheticBackup.FileHash(file);
        return new BlockFile(SyntheticBackup.Name(file), hash, SyntheticBackup.MetadataHash(file), hashes, lists);
    }

    // Even, so that a changed file has as many new blocks as known ones, and no list of it stays as it was.
    private static long FileLength(long blocks, long most) => Math.Clamp(blocks / FewestFiles / 2 * 2, 2, Math.Max(2, most / 2 * 2));

    private long ChangedFiles => ((First.Blocks / First.BlocksPerFile) + FilesForOneChanged - 1) / FilesForOneChanged;

    // Blocks and lists as blocks, blocksets, lists, entries of blocksets, and those of the fileset.
    private long RowsOfSecond
    {
        get
        {
            var (length, lists) = (First.BlocksPerFile, First.ListsOf(0));
            return (ChangedFiles * ((length / 2) + lists + 1 + lists + length)) + Files;
        }
    }
}

/// <summary>A file of a backup.</summary>
/// <param name="Name">Its name within the one folder.</param>
/// <param name="Hash">Hash of its content.</param>
/// <param name="MetadataHash">Hash of its metadata, which are one block.</param>
/// <param name="Blocks">Hashes of its blocks, all of them full.</param>
/// <param name="Lists">Hash and size in bytes of its blocklists; empty for a single block.</param>
internal sealed record BlockFile(string Name, string Hash, string MetadataHash, string[] Blocks, (string Hash, long Size)[] Lists);

/// <summary>
/// Backs up one version through the API as a backup does, but for the volumes: blocks, blocksets, metadata, files; a commit after each full
/// volume.
/// </summary>
/// <param name="backup">What is backed up.</param>
/// <param name="database">Opened for a backup.</param>
/// <param name="clock">Told what the layer takes.</param>
/// <param name="version">0 for the first, 1 for the second.</param>
internal sealed class BlockBackupRun(BlockBackup backup, LocalBackupDatabase database, ScaleClock clock, int version)
{
    /// <summary>Time of the first version; the second is a day later.</summary>
    internal static readonly DateTime FirstTime = new(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc);

    private long m_fileset;
    private long m_previous;
    private long m_prefix;
    private long m_volume;
    private int m_volumes;
    private int m_inVolume;

    /// <summary>Backs the version up; making the files is not timed.</summary>
    internal async Task RunAsync(CancellationToken token)
    {
        await clock.TimeAsync(() => BeginAsync(token));
        for (var number = 0L; number < backup.Files; number++)
        {
            var isChanged = version > 0 && backup.IsChanged(number);
            if (version > 0 && !isChanged)
            {
                var name = SyntheticBackup.Name(number);
                await clock.TimeAsync(() => AddKnownAsync(name, token));
                continue;
            }

            var file = backup.File(number, isChanged);
            await clock.TimeAsync(() => AddAsync(file, token));
        }

        await clock.TimeAsync(() => EndAsync(token));
    }

    private async Task BeginAsync(CancellationToken token)
    {
        m_previous = await database.FilesetTimesAsync(token).Select(x => x.Key).FirstOrDefaultAsync(token);
        var name = FormattableString.Invariant($"large-{version}.dlist.zip");
        var list = await database.RegisterRemoteVolumeAsync(name, RemoteVolumeType.Files, 1 << 20, RemoteVolumeState.Verified, token);
        m_fileset = await database.CreateFilesetAsync(list, FirstTime.AddDays(version), token);
        m_prefix = await database.GetOrCreatePathPrefixAsync("/data/", token);
        await OpenVolumeAsync(token);
    }

    private async Task OpenVolumeAsync(CancellationToken token)
    {
        var name = FormattableString.Invariant($"large-{version}-{++m_volumes}.dblock.zip");
        m_volume = await database.RegisterRemoteVolumeAsync(name, RemoteVolumeType.Blocks, 1 << 20, RemoteVolumeState.Verified, token);
        m_inVolume = 0;
        await database.CommitAsync(token);
    }

    private async Task AddKnownAsync(string name, CancellationToken token)
    {
        var (id, modified, _, _, _) = await database.GetFileEntryAsync(m_prefix, name, m_previous, token);
        await database.AddKnownFileAsync(id, modified, token);
    }

    private async Task AddAsync(BlockFile file, CancellationToken token)
    {
        foreach (var hash in file.Blocks)
            await AddBlockAsync(hash, SyntheticBackup.BlockBytes, token);
        foreach (var (hash, size) in file.Lists)
            await AddBlockAsync(hash, size, token);
        var lists = file.Lists.Length > 0 ? file.Lists.Select(x => x.Hash) : null;
        var length = (long)file.Blocks.Length * SyntheticBackup.BlockBytes;
        var (_, blockset) = await database.AddBlocksetAsync(file.Hash, length, SyntheticBackup.BlockBytes, file.Blocks, lists!, token);
        var metadata = await AddMetadataAsync(file.MetadataHash, token);
        await database.AddFileAsync(m_prefix, file.Name, FirstTime.AddDays(version), blockset, metadata, token);
    }

    private async Task<long> AddMetadataAsync(string hash, CancellationToken token)
    {
        const int Bytes = SyntheticBackup.MetadataBytes;
        var (isKnown, id) = await database.GetMetadatasetIDAsync(hash, Bytes, token);
        if (isKnown)
            return id;
        await AddBlockAsync(hash, Bytes, token);
        var (_, blockset) = await database.AddBlocksetAsync(hash, Bytes, SyntheticBackup.BlockBytes, [hash], null!, token);
        // The content is not asked for unless it is to be stored in the database.
        (_, id) = await database.AddMetadatasetAsync(hash, Bytes, blockset, null!, token);
        return id;
    }

    private async Task AddBlockAsync(string hash, long size, CancellationToken token)
    {
        if (await database.AddBlockAsync(hash, size, m_volume, token) && ++m_inVolume == SyntheticBackup.BlocksPerVolume)
            await OpenVolumeAsync(token);
    }

    // As the end of a backup does.
    private async Task EndAsync(CancellationToken token)
    {
        // With the last volume.
        await database.CommitAsync(token);
        await database.BuildLeftOutIndexesAsync(token);
        await database.UpdateFullBackupStateInFilesetAsync(m_fileset, true, token);
        await database.Transaction.CommitAsync("CommitFinalBackup", true, token);
    }
}
