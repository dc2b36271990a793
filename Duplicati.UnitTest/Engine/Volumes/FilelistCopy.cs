// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;

namespace Duplicati.UnitTest.Engine.Volumes;

/// <summary>Writes lists and entries as they were read, or nearly.</summary>
internal static class FilelistCopy
{
    /// <summary>Writes a list once more, of blocks of 1 KB, with other paths or another end of its backup.</summary>
    internal static async Task RewriteAsync(string path, Func<string, string>? rename = null, bool isFull = true)
    {
        var copy = path + ".copy";
        using (var content = File.OpenRead(path))
        using (var reader = FilelistReader.Open(content, Path.GetFileName(path)))
        using (
            var writer = new FilelistWriter(
                new FileStream(copy, FileMode.Create, FileAccess.ReadWrite),
                new VolumeFormat { Blocksize = 1024, VolumeSize = 50 * 1024 },
                isFull
            )
        )
        {
            foreach (var entry in reader.ReadEntries())
                await AddAsync(writer, rename is null ? entry : Renamed(entry, rename(entry.Path)));
        }

        File.Move(copy, path, overwrite: true);
    }

    internal static async Task AddAsync(FilelistWriter writer, FilelistEntry entry)
    {
        switch (entry.Type)
        {
            case FilelistEntryType.Folder:
                writer.AddDirectory(entry.Path, entry.MetaHash, entry.MetaSize, entry.MetaBlockHash, entry.MetaBlocklistHashes);
                break;
            case FilelistEntryType.Symlink:
                writer.AddSymlink(entry.Path, entry.MetaHash, entry.MetaSize, entry.MetaBlockHash, entry.MetaBlocklistHashes);
                break;
            default:
                await writer.AddFileAsync(
                    entry.Path,
                    entry.Hash!,
                    entry.Size,
                    entry.Time,
                    entry.MetaHash,
                    entry.MetaSize,
                    entry.MetaBlockHash,
                    entry.BlockHash,
                    entry.BlockSize,
                    entry.BlocklistHashes?.ToAsyncEnumerable(),
                    entry.MetaBlocklistHashes
                );
                break;
        }
    }

    /// <summary>An entry that stays after its reader went on, with another path.</summary>
    internal static FilelistEntry Renamed(FilelistEntry entry, string path) =>
        new()
        {
            Type = entry.Type,
            Path = path,
            Hash = entry.Hash,
            Size = entry.Size,
            Time = entry.Time,
            MetaHash = entry.MetaHash,
            MetaSize = entry.MetaSize,
            MetaBlockHash = entry.MetaBlockHash,
            MetaBlocklistHashes = entry.MetaBlocklistHashes,
            BlockHash = entry.BlockHash,
            BlockSize = entry.BlockSize,
            BlocklistHashes = entry.BlocklistHashes?.ToList(),
        };
}
