// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Threading.Channels;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Data;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Backup;

/// <summary>
/// Takes source entries to the fileset one at a time: unchanged ones are carried over by a look-up, the rest is read, split, and
/// recorded once all blocks of its data and metadata are. One instance a reading task.
/// </summary>
internal sealed class EntryRecorder(
    BackupSettings settings,
    SharedDatabase<LocalBackupDatabase> shared,
    ChannelWriter<BlockBatch> blocks,
    BackupCounters counters,
    IEngineProgress progress,
    long previousFilesetId,
    bool readsAll
) : IDisposable
{
    private readonly StreamSplitter m_splitter = new(settings, blocks);
    private readonly MetadataReader m_metadata = new();

    internal async Task RecordAsync(SourceEntry entry, CancellationToken token)
    {
        try
        {
            var metadata = EntryMetadata.Read(m_metadata, entry, settings.Format.FileHash);
            var name = LocalDatabase.SplitIntoPrefixAndName(entry.Path);
            var (prefixId, known) = await shared.RunAsync(database => LookUpAsync(database, name, token), token).ConfigureAwait(false);
            counters.Examined(entry);
            if (!readsAll && IsUnchanged(entry, known, metadata))
                await shared
                    .RunAsync(database => database.AddKnownFileAsync(known.Item1, entry.LastModified, token), token)
                    .ConfigureAwait(false);
            else
                await RecordChangedAsync(entry, prefixId, name.Value, metadata, token).ConfigureAwait(false);
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException && !DiskSpace.IsExhausted(ex))
        {
            counters.Skipped(entry.Path, ex);
            progress.Warning($"Skipped {entry.Path}: {ex.Message}");
        }
    }

    public void Dispose() => m_splitter.Dispose();

    private async Task<(long PrefixId, (long, DateTime, long, string?, long) Known)> LookUpAsync(
        LocalBackupDatabase database,
        KeyValuePair<string, string> name,
        CancellationToken token
    )
    {
        var prefixId = await database.GetOrCreatePathPrefixAsync(name.Key, token).ConfigureAwait(false);
        return (prefixId, await database.GetFileEntryAsync(prefixId, name.Value, previousFilesetId, token).ConfigureAwait(false));
    }

    // A recreated database knows whole seconds only, so a stored whole second matches any time within it.
    private static bool IsUnchanged(
        SourceEntry entry,
        (long Id, DateTime Modified, long Length, string? MetadataHash, long MetadataLength) known,
        EntryMetadata metadata
    ) =>
        entry.Kind == SourceKind.File
        && known.Id >= 0
        && known.Length == entry.Length
        && (
            known.Modified == entry.LastModified
            || (known.Modified.Ticks % TimeSpan.TicksPerSecond == 0 && known.Modified == Truncate(entry.LastModified))
        )
        && known.MetadataHash == metadata.FileHash
        && known.MetadataLength == metadata.Blob.Length;

    private static DateTime Truncate(DateTime time) => new(time.Ticks - (time.Ticks % TimeSpan.TicksPerSecond), time.Kind);

    private async Task RecordChangedAsync(SourceEntry entry, long prefixId, string name, EntryMetadata metadata, CancellationToken token)
    {
        RequireKind(entry);
        var blocksetId = entry.Kind switch
        {
            SourceKind.Folder => LocalDatabase.FOLDER_BLOCKSET_ID,
            SourceKind.Symlink => LocalDatabase.SYMLINK_BLOCKSET_ID,
            _ => await RecordDataAsync(entry, token).ConfigureAwait(false),
        };
        var metadataId = await RecordMetadataAsync(metadata, token).ConfigureAwait(false);
        await shared
            .RunAsync(database => database.AddFileAsync(prefixId, name, entry.LastModified, blocksetId, metadataId, token), token)
            .ConfigureAwait(false);
    }

    // Something else may have taken its place since it was listed: a pipe would be waited for, a link would lead out of the sources, and
    // the metadata be those of another kind.
    private static void RequireKind(SourceEntry entry)
    {
        if (SourceScanner.KindOf(entry.FileSystemPath) != entry.Kind)
            throw new FileNotFoundException("It was replaced while it was backed up.");
    }

    private async Task<long> RecordDataAsync(SourceEntry entry, CancellationToken token)
    {
        var file = new FileStream(
            entry.Path,
            FileMode.Open,
            FileAccess.Read,
            FileShare.ReadWrite | FileShare.Delete,
            128 * 1024,
            FileOptions.SequentialScan
        );
        await using var fileScope = file.ConfigureAwait(false);
        RequireKind(entry);
        return await RecordStreamAsync(file, token).ConfigureAwait(false);
    }

    private async Task<long> RecordMetadataAsync(EntryMetadata metadata, CancellationToken token)
    {
        var (found, id) = await shared
            .RunAsync(database => database.GetMetadatasetIDAsync(metadata.FileHash, metadata.Blob.Length, token), token)
            .ConfigureAwait(false);
        if (found)
            return id;

        var blocksetId = await RecordStreamAsync(new MemoryStream(metadata.Blob, writable: false), token).ConfigureAwait(false);
        (_, id) = await shared
            .RunAsync(database => database.AddMetadatasetAsync(metadata.FileHash, metadata.Blob.Length, blocksetId, metadata, token), token)
            .ConfigureAwait(false);
        return id;
    }

    private async Task<long> RecordStreamAsync(Stream source, CancellationToken token)
    {
        var stream = new PendingStream(settings.DigestSize);
        await m_splitter.SplitAsync(source, stream, token).ConfigureAwait(false);
        return await stream.Recorded.WaitAsync(token).ConfigureAwait(false);
    }
}

/// <summary>The metadata of one source entry as it will be stored.</summary>
/// <param name="FileHash">Base64 file hash of the blob.</param>
/// <param name="Blob">JSON text with byte order mark.</param>
/// <param name="Values">The pairs in it.</param>
internal sealed record EntryMetadata(string FileHash, byte[] Blob, Dictionary<string, string> Values) : IMetahash
{
    internal static EntryMetadata Read(MetadataReader reader, SourceEntry entry, VolumeHash algorithm)
    {
        var metadata = reader.Read(entry.FileSystemPath);
        var blob = metadata.ToBytes();
        return new EntryMetadata(
            algorithm.HashToBase64(blob),
            blob,
            new Dictionary<string, string>(metadata.Values, StringComparer.Ordinal)
        );
    }
}
