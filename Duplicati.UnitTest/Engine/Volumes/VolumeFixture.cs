// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;
using System.Text;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;

namespace Duplicati.UnitTest.Engine.Volumes;

/// <summary>Makes small volumes in memory, well-formed and otherwise.</summary>
internal static class VolumeFixture
{
    internal const string NAME = "duplicati-b0123456789abcdef0123456789abcdef.dblock.zip";

    internal static VolumeFormat Format { get; } = new() { Blocksize = 1024, VolumeSize = 50 * 1024 };

    internal static string Hash(ReadOnlySpan<byte> data) => VolumeHash.Sha256.HashToBase64(data);

    internal static byte[] RandomBytes(Random random, int length)
    {
        var bytes = new byte[length];
        random.NextBytes(bytes);
        return bytes;
    }

    /// <summary>What is left of a stream.</summary>
    internal static byte[] Content(Stream stream)
    {
        using var copy = new MemoryStream();
        stream.CopyTo(copy);
        return copy.ToArray();
    }

    /// <summary>What volumes can be written with: methods of zip, and modules.</summary>
    internal static readonly string[] Packings =
    [
        nameof(ZipMethod.Deflate),
        nameof(ZipMethod.None),
        nameof(ZipMethod.ZStandard),
        nameof(ZipMethod.BZip2),
        nameof(ZipMethod.LZMA),
        nameof(ZipMethod.PPMd),
        VolumeName.TZSTD,
        VolumeName.TGZ,
    ];

    /// <summary>One of <see cref="Packings"/> as an option.</summary>
    internal static VolumeCompression Packed(string packing) =>
        VolumeName.Modules.Contains(packing) ? new() { Module = packing } : new() { Method = VolumeCompression.ParseMethod(packing) };

    /// <summary>The name of a block volume of a module.</summary>
    internal static VolumeName NameOf(string module) => VolumeName.Parse(NAME[..^"zip".Length] + module)!;

    /// <summary>The content of a volume as operations open it.</summary>
    internal static Task<Stream> OpenAsync(byte[] volume, string packing) =>
        VolumeOpener.OpenAsync(() => new MemoryStream(volume), NameOf(Packed(packing).Module), null, isDamaged: false, default);

    /// <summary>The content of a volume that is a file.</summary>
    internal static Task<Stream> OpenAsync(string path, VolumeName name, string? passphrase) =>
        VolumeOpener.OpenAsync(() => VolumeOpener.OpenFile(path), name, passphrase, isDamaged: false, default);

    internal static byte[] Blocks(params byte[][] blocks) => Blocks(new VolumeCompression(), blocks);

    internal static byte[] Blocks(VolumeCompression compression, params byte[][] blocks)
    {
        using var target = new MemoryStream();
        var format = Format with { Compression = compression };
        using (var writer = new BlockVolumeWriter(NameOf(compression.Module), target, format))
        {
            foreach (var block in blocks)
                writer.AddBlock(Hash(block), block, compressible: true);
        }

        return target.ToArray();
    }

    internal static byte[] IndexOfBlocklist(string hash, ReadOnlySpan<byte> digests)
    {
        using var target = new MemoryStream();
        using (var writer = new IndexVolumeWriter(VolumeName.New(RemoteVolumeType.Index), target, Format))
            writer.AddBlocklist(hash, digests);
        return target.ToArray();
    }

    internal static async Task<byte[]> Index(Func<IndexVolumeWriter, Task> fill, VolumeCompression? compression = null)
    {
        using var target = new MemoryStream();
        var format = Format with { Compression = compression ?? new() };
        var name = VolumeName.New(RemoteVolumeType.Index, compression: format.Compression.Module);
        using (var writer = new IndexVolumeWriter(name, target, format))
            await fill(writer);
        return target.ToArray();
    }

    internal static async Task<byte[]> Filelist(Func<FilelistWriter, Task> fill, bool isFull = true, VolumeCompression? compression = null)
    {
        using var target = new MemoryStream();
        using (var writer = new FilelistWriter(target, Format with { Compression = compression ?? new() }, isFull))
            await fill(writer);
        return target.ToArray();
    }

    /// <summary>A zip with a good manifest and these entries.</summary>
    internal static byte[] Zip(params (string Name, byte[] Content)[] entries) =>
        ZipWithout([
            (VolumeManifest.ENTRY_NAME, VolumeManifest.Now(Format.Blocksize, Format.BlockHash, Format.FileHash).ToBytes()),
            .. entries,
        ]);

    /// <summary>A zip with these entries.</summary>
    internal static byte[] ZipWithout(params (string Name, byte[] Content)[] entries)
    {
        using var target = new MemoryStream();
        using (var zip = new ZipArchive(target, ZipArchiveMode.Create, leaveOpen: true))
        {
            foreach (var (name, content) in entries)
            {
                using var entry = zip.CreateEntry(name).Open();
                entry.Write(content);
            }
        }

        return target.ToArray();
    }

    /// <summary>A file list with this JSON.</summary>
    internal static byte[] FilelistJson(string json) => Zip((FilelistReader.FILELIST, Encoding.UTF8.GetBytes(json)));

    internal static List<FilelistEntry> ReadFilelist(byte[] volume)
    {
        using var reader = FilelistReader.Open(new MemoryStream(volume), "list");
        var entries = new List<FilelistEntry>();
        foreach (var entry in reader.ReadEntries())
            entries.Add(FilelistCopy.Renamed(entry, entry.Path));
        return entries;
    }
}
