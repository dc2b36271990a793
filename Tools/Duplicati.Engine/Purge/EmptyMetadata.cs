// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Data;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Engine.Purge;

/// <summary>
/// The content that takes the place of lost metadata. It says nothing: metadata of something else would give its permissions, owner and
/// times to what had others.
/// </summary>
internal sealed class EmptyMetadata(
    LocalListBrokenFilesDatabase database,
    BackupSettings settings,
    IndexPolicy policy,
    IRemoteFolder folder,
    IEngineProgress progress
)
{
    private static readonly byte[] s_content = new MetadataBlob().ToBytes();

    /// <summary>
    /// Puts into a table of files those links that have got the replacement, with others or by a purge before. FilesetEntry by its key,
    /// FileLookup and Metadataset by id.
    /// </summary>
    private const string MARK_LINKS = """
        INSERT INTO {0} ("FileID")
        SELECT "l"."ID"
        FROM "FilesetEntry" "e"
        CROSS JOIN "FileLookup" "l" ON "l"."ID" = "e"."FileID" AND "l"."BlocksetID" = @link
        CROSS JOIN "Metadataset" "m" ON "m"."ID" = "l"."MetadataID" AND "m"."BlocksetID" = @replacement
        WHERE "e"."FilesetID" = @fileset AND "l"."ID" NOT IN (SELECT "FileID" FROM {0})
        """;

    /// <summary>The volumes of a deleted block. DeletedBlockHashSize.</summary>
    private const string DELETED_IN = """SELECT "VolumeID" FROM "DeletedBlock" WHERE "Hash" = @hash AND "Size" = @size""";

    /// <summary>As above.</summary>
    private const string FORGET_DELETED = """
        DELETE FROM "DeletedBlock" WHERE "Hash" = @hash AND "Size" = @size AND "VolumeID" = @volume
        """;

    /// <summary>
    /// Finds it, or makes it anew, in a block volume of its own that is uploaded before anything is recorded to be in it. Commits in the
    /// latter case.
    /// </summary>
    /// <param name="missing">Volumes that are missing or damaged.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>The id of its blockset.</returns>
    private async Task<long> FindOrMakeAsync(IEnumerable<long> missing, CancellationToken token)
    {
        var unusable = missing.ToHashSet();
        // What is on its way need not arrive.
        await foreach (var volume in database.GetRemoteVolumesAsync(token).ConfigureAwait(false))
        {
            if (volume.State is not (RemoteVolumeState.Uploaded or RemoteVolumeState.Verified))
                unusable.Add(volume.ID);
        }

        var hash = settings.Format.FileHash.HashToBase64(s_content);
        var id = await database.FindExactMetadataBlocksetIdAsync(unusable, hash, s_content.Length, token).ConfigureAwait(false);
        if (id >= 0)
            return id;
        var blockHash = settings.Format.BlockHash.HashToBase64(s_content);
        var block = await database.FindAvailableBlockIdAsync(blockHash, s_content.Length, unusable, token).ConfigureAwait(false);
        if (block < 0)
            block = await ReuseAsync(blockHash, unusable, token).ConfigureAwait(false);
        if (block < 0)
            return await UploadAsync(hash, blockHash, token).ConfigureAwait(false);
        id = await database.CreateMetadataBlocksetAsync(hash, s_content.Length, [block], token).ConfigureAwait(false);
        await database.Transaction.CommitAsync("CommitReplacementMetadata", true, token).ConfigureAwait(false);
        return id;
    }

    /// <summary>
    /// Gives it to everything in a version that has lost its metadata, but to symbolic links: they are lost with them, and put into the
    /// table with all else that is. The metadata of links stay lost, so that other versions are still known to have lost them when this is
    /// interrupted. Commits only where the content is made anew.
    /// </summary>
    /// <returns>The number of metadata that were replaced.</returns>
    internal async Task<int> ReplaceAsync(long filesetId, string table, IEnumerable<long> missing, CancellationToken token)
    {
        // Each time: as long as nothing has got it, it goes with any version.
        var replacement = await FindOrMakeAsync(missing, token).ConfigureAwait(false);
        var links = SymbolicLinks.Metadata(database, filesetId);
        var updated = await database.ReplaceMetadataAsync(filesetId, replacement, token).ConfigureAwait(false);
        updated -= SymbolicLinks.PutBack(database, links);
        await database.InsertBrokenFileIDsIntoTableAsync(filesetId, table, "FileID", token).ConfigureAwait(false);
        MarkLinks(filesetId, table, replacement);
        return updated;
    }

    private void MarkLinks(long filesetId, string table, long replacement) =>
        DumpQuery.Execute(
            database.Connection,
            MARK_LINKS.Replace("{0}", SqlName.Quote(table), StringComparison.Ordinal),
            ("@link", LocalDatabase.SYMLINK_BLOCKSET_ID),
            ("@replacement", replacement),
            ("@fileset", filesetId)
        );

    // A version that went before anything had got it has taken it along, and left the block in its volume.
    private async Task<long> ReuseAsync(string blockHash, HashSet<long> unusable, CancellationToken token)
    {
        var volumes = DumpQuery
            .Rows(database.Connection, DELETED_IN, x => x.GetInt64(0), ("@hash", blockHash), ("@size", s_content.Length))
            .Where(x => !unusable.Contains(x))
            .Take(1)
            .ToList();
        if (volumes.Count == 0)
            return -1;
        DumpQuery.Execute(database.Connection, FORGET_DELETED, ("@hash", blockHash), ("@size", s_content.Length), ("@volume", volumes[0]));
        return (await database.RegisterBlockAsync(blockHash, s_content.Length, volumes[0], token).ConfigureAwait(false)).BlockId;
    }

    private async Task<long> UploadAsync(string hash, string blockHash, CancellationToken token)
    {
        using var temporary = new TemporaryFolder();
        using var shared = new SharedDatabase<LocalListBrokenFilesDatabase>(database);
        var uploader = new VolumeUploader<LocalListBrokenFilesDatabase>(shared, folder, progress);
        var name = VolumeName.New(RemoteVolumeType.Blocks, settings.Prefix, settings.Encryption, settings.Module);
        var path = Path.Combine(temporary.Path, name.FileName);
        using (var writer = new BlockVolumeWriter(name, new FileStream(path, FileMode.Create, FileAccess.ReadWrite), settings.Format))
            writer.AddBlock(blockHash, s_content, compressible: true);

        var volumeId = await database
            .RegisterRemoteVolumeAsync(name.FileName, RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, token)
            .ConfigureAwait(false);
        var content = await VolumeSealer.SealAsync(path, name, settings.Format, settings.Passphrase, token).ConfigureAwait(false);
        await uploader.UploadAsync(content, token).ConfigureAwait(false);
        var block = await database.RegisterBlockAsync(blockHash, s_content.Length, volumeId, token).ConfigureAwait(false);
        var id = await database.CreateMetadataBlocksetAsync(hash, s_content.Length, [block.BlockId], token).ConfigureAwait(false);
        if (policy != IndexPolicy.None)
        {
            var blocks = new[] { KeyValuePair.Create(blockHash, (long)s_content.Length) };
            await new IndexPublisher<LocalListBrokenFilesDatabase>(settings, policy, shared, uploader, temporary.Path)
                .MakeAsync(
                    volumeId,
                    writer => writer.AddVolumeAsync(name, blocks.ToAsyncEnumerable(), content.Hash, content.Size, token),
                    token
                )
                .ConfigureAwait(false);
        }

        await database.Transaction.CommitAsync("CommitReplacementMetadata", true, token).ConfigureAwait(false);
        return id;
    }
}
