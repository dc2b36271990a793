// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.IO.Compression;
using System.Text;
using System.Text.Json;
using Duplicati.Engine.Encryption;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Volumes;

namespace Duplicati.UnitTest.Engine.Fuzz;

/// <summary>
/// Readers of what comes from a remote folder, by name. Any bytes give an answer that is right or an error that names the volume, in
/// bounded memory; anything else is thrown. Run by the tests, and by afl-fuzz through fuzz/run.sh.
/// </summary>
internal static class FuzzTargets
{
    private const string Volume = "the-volume";
    private const string BlockVolume = "duplicati-b0123456789abcdef0123456789abcdef.dblock.zip";
    private const int Blocksize = 1024;

    // As the reader's.
    private const int MostDepth = 16;

    // Buffers of zip, deflate and JSON, the longest text, and the whole labels, which are bounded by themselves.
    private const long MostBytes = 64L << 20;

    // Not made by the engine, which must not run before afl-fuzz does.
    private static readonly byte[] s_manifest =
    [
        .. """{"Version":2,"Encoding":"utf8","Blocksize":1024,"BlockHash":"SHA256","FileHash":"SHA256"}"""u8,
    ];

    /// <summary>The targets by name.</summary>
    internal static IReadOnlyDictionary<string, Action<byte[]>> All { get; } =
        new Dictionary<string, Action<byte[]>>(StringComparer.Ordinal)
        {
            ["aes"] = input => Bounded(() => Aes(input)),
            ["zip"] = input => Bounded(() => Zip(input), 16 * MostBytes),
            ["manifest"] = input => Bounded(() => Manifest(input)),
            ["dlist"] = input => Bounded(() => Filelist(input)),
            ["fileset"] = input => Bounded(() => Fileset(input)),
            ["dindex"] = input => Bounded(() => Index(input)),
            ["labels"] = input => Bounded(() => Labels(input)),
        };

    // Some methods of zip take up to 64 MB for each entry, one after the other.
    private static void Bounded(Action read, long most = MostBytes)
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        Typed(read);
        var bytes = GC.GetAllocatedBytesForCurrentThread() - before;
        Require(bytes < most, $"{bytes} bytes were allocated");
    }

    // False after an error of the kind that is promised.
    private static bool Typed(Action read)
    {
        try
        {
            read();
            return true;
        }
        catch (VolumeException ex)
        {
            Require(ex.Message.StartsWith(Volume, StringComparison.Ordinal), $"an error names no volume: {ex.Message}");
            return false;
        }
    }

    private static void Require(bool condition, string message)
    {
        if (!condition)
            throw new InvalidProgramException(message);
    }

    private static void Aes(byte[] input)
    {
        if (!IsQuick(input))
            return;
        using var salvaged = new MemoryStream();
        Typed(() => Wait(AesCryptStreamReader.SalvageAsync(new MemoryStream(input), salvaged, "p", Volume, default)));
        using var plain = new MemoryStream();
        Wait(AesCryptStreamReader.DecryptAsync(new MemoryStream(input), plain, "p", Volume, default));
        Require(plain.Length < input.Length, "a wrong length");
        Require(salvaged.ToArray().AsSpan().StartsWith(plain.ToArray()), "what is salvaged is not the content");
    }

    // A stream of version 3 says itself how often the passphrase is hashed, within a bound; what takes long finds little.
    private static bool IsQuick(ReadOnlySpan<byte> input)
    {
        var at = 5;
        while (at + 2 <= input.Length && BinaryPrimitives.ReadUInt16BigEndian(input[at..]) is > 0 and var length)
            at += 2 + length;
        return at + 6 > input.Length
            || input[3] != 3
            || BinaryPrimitives.ReadUInt32BigEndian(input[(at + 2)..]) is <= 1000 or > AesCryptOptions.MAX_ITERATIONS;
    }

    // Streams in memory are read and written at once.
    private static void Wait(Task task)
    {
        Require(task.IsCompleted, "it has not ended");
        task.GetAwaiter().GetResult();
    }

    private static void Zip(byte[] input)
    {
        var buffer = new byte[Blocksize];
        using (var salvage = SalvageReader.Open(new MemoryStream(input), VolumeHash.Sha256))
        {
            foreach (var hash in salvage.Hashes)
                Require(salvage.Read(hash, -1, buffer) <= Blocksize, "a block is too long");
        }

        Typed(() => ReadBlocks(input, buffer));
        Typed(() => ReadIndex(input));
        ReadFilelist(input);
    }

    private static void ReadBlocks(byte[] volume, byte[] buffer)
    {
        using var reader = BlockVolumeReader.Open(new MemoryStream(volume), Volume);
        foreach (var (hash, size) in reader.Blocks)
            Typed(() => Require(reader.ReadVerifiedBlock(hash, VolumeHash.Sha256, buffer) == size, "a block of another length"));
    }

    private static List<(string Hash, long Size)> ReadIndex(byte[] volume)
    {
        var blocks = new List<(string Hash, long Size)>();
        using var reader = IndexVolumeReader.Open(new MemoryStream(volume), Volume);
        foreach (var list in reader.ReadBlocklists())
            Require(list.Digests.Length % reader.DigestSize == 0, "half a digest");
        foreach (var described in reader.ReadVolumes())
        {
            foreach (var (hash, size) in described.ReadBlocks())
                blocks.Add((hash, size));
            Require(described.Size >= 0 && (described.Hash is not null || described.Size == 0), "a size without a hash");
        }

        return blocks;
    }

    private static void ReadFilelist(byte[] volume)
    {
        using var reader = FilelistReader.Open(new MemoryStream(volume), Volume);
        reader.ReadLabels(_ => { });
        foreach (var entry in reader.ReadEntries())
            entry.BlocklistHashes?.Count();
    }

    private static void Manifest(byte[] input)
    {
        var isRead = Typed(() =>
        {
            var manifest = VolumeManifest.Parse(input, Volume);
            Require(VolumeManifest.Parse(manifest.ToBytes(), Volume) == manifest, "another manifest when read again");
            Typed(() => manifest.Require(Volume, new VolumeFormat { Blocksize = Blocksize }));
        });
        var list = new byte[64];
        var isOpened = Typed(() => ReadIndex(Packed(("manifest", input), ("list/" + EntryName(list), list))));
        Require(isRead || !isOpened, "a manifest that is an error is none in a volume");
    }

    private static void Filelist(byte[] input)
    {
        var volume = Packed(("manifest", s_manifest), ("filelist.json", input));
        var (refused, tolerated, strict) = (0, 0L, 0L);
        var isTolerated = Typed(() =>
        {
            using var reader = FilelistReader.Open(new MemoryStream(volume), Volume);
            foreach (var _ in reader.ReadEntries(_ => refused++))
                tolerated++;
            tolerated += reader.SkippedEntries;
        });
        using var reader = FilelistReader.Open(new MemoryStream(volume), Volume);
        foreach (var entry in reader.ReadEntries())
        {
            Require(entry.Size >= -1 && entry.MetaSize >= -1 && entry.BlockSize >= -1, "a negative size");
            entry.BlocklistHashes?.Count();
            strict++;
        }

        strict += reader.SkippedEntries;
        Require(isTolerated && refused == 0 && tolerated == strict, "good entries are refused");
        using var document = Json(input);
        Require(document.RootElement.GetArrayLength() == strict, "entries are missing");
    }

    private static void Fileset(byte[] input)
    {
        using var reader = FilelistReader.Open(new MemoryStream(Packed(("manifest", s_manifest), ("fileset", input))), Volume);
        using var document = Json(input);
        Require(reader.FilesetTime is not { Kind: not DateTimeKind.Utc }, "a time that is not UTC");
    }

    private static void Index(byte[] input)
    {
        var blocks = ReadIndex(Packed(("manifest", s_manifest), ("vol/" + BlockVolume, input), ("list/" + EntryName(input), input)));
        using var document = Json(input);
        var expected = document.RootElement.EnumerateObject().First().Value.EnumerateArray().ToList();
        Require(blocks.Count == expected.Count, "blocks are missing");
        for (var i = 0; i < blocks.Count; i++)
        {
            var properties = expected[i].EnumerateObject().Take(2).ToList();
            Require(
                properties[0].Value.GetString() == blocks[i].Hash && properties[1].Value.GetInt64() == blocks[i].Size,
                "another block than the text says"
            );
        }
    }

    private static void Labels(byte[] input)
    {
        using var reader = FilelistReader.Open(new MemoryStream(Packed(("manifest", s_manifest), ("labels.json", input))), Volume);
        var isRefused = false;
        var labels = reader.ReadLabels(_ => isRefused = true);
        Require(!isRefused || labels.Count == 0, "labels of what cannot be read");
        Require(labels.All(x => x.Key.Kind == DateTimeKind.Utc && !string.IsNullOrWhiteSpace(x.Value)), "what is no label");
    }

    // What was read without an error is JSON for others, too.
    private static JsonDocument Json(byte[] input)
    {
        try
        {
            var text = input.AsMemory(input.AsSpan().StartsWith(Encoding.UTF8.Preamble) ? Encoding.UTF8.Preamble.Length : 0);
            return JsonDocument.Parse(text, new JsonDocumentOptions { MaxDepth = MostDepth });
        }
        catch (JsonException ex)
        {
            throw new InvalidProgramException("what is no JSON was read", ex);
        }
    }

    private static string EntryName(ReadOnlySpan<byte> content) => HashEncoding.ToEntryName(VolumeHash.Sha256.HashToBase64(content));

    // Checksums are right, so that what is inside is what is read.
    private static byte[] Packed(params (string Name, byte[] Content)[] entries)
    {
        using var target = new MemoryStream();
        using (var zip = new ZipArchive(target, ZipArchiveMode.Create, leaveOpen: true))
        {
            foreach (var (name, content) in entries)
            {
                using var entry = zip.CreateEntry(name, CompressionLevel.NoCompression).Open();
                entry.Write(content);
            }
        }

        return target.ToArray();
    }
}
