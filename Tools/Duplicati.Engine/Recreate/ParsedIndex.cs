using Duplicati.Engine.Volumes;
using Duplicati.Library.Main.Database;

namespace Duplicati.Engine.Recreate;

/// <summary>Everything an index volume says, read into memory so that volumes can be parsed in parallel and fed in order. 40 bytes a block and 32 an entry of a blocklist (SHA-256).</summary>
/// <param name="Name">The index volume's file name.</param>
/// <param name="Hash">Its file hash, Base64.</param>
/// <param name="Length">Its length in bytes.</param>
/// <param name="DigestSize">Bytes of a digest of the blocks and blocklists.</param>
/// <param name="Volumes">The block volumes it describes.</param>
/// <param name="Blocklists">The blocklists in it whose content fits their name.</param>
/// <param name="RejectedBlocklists">Number of blocklists whose content did not.</param>
internal sealed record ParsedIndex(string Name, string Hash, long Length, int DigestSize, IReadOnlyList<ParsedIndex.Volume> Volumes, IReadOnlyList<BatchBlocklist> Blocklists, int RejectedBlocklists)
{
    private const int FirstCapacity = 1024;

    /// <summary>One block volume and the blocks in it: raw digests one after the other, and as many sizes.</summary>
    internal sealed record Volume(string Name, ReadOnlyMemory<byte> Digests, ReadOnlyMemory<long> Sizes, string? Hash, long Length);

    internal static ParsedIndex Read(string name, string hash, long length, Stream content, VolumeFormat format)
    {
        using var reader = IndexVolumeReader.Open(content, name);
        reader.Manifest.Require(name, format.Blocksize, format.BlockHash, format.FileHash);
        var volumes = new List<Volume>();
        foreach (var volume in reader.ReadVolumes())
        {
            using (volume)
                volumes.Add(Read(volume, reader.DigestSize));
        }

        var blocklists = reader.ReadBlocklists().Select(x => Copy(x, reader.DigestSize)).ToList();
        return new ParsedIndex(name, hash, length, reader.DigestSize, volumes, blocklists, reader.RejectedBlocklists.Count);
    }

    private static Volume Read(IndexedVolume volume, int digestSize)
    {
        var digests = new byte[FirstCapacity * digestSize];
        var sizes = new long[FirstCapacity];
        var count = 0;
        while (true)
        {
            var read = volume.ReadBlocks(digests.AsSpan(count * digestSize), sizes.AsSpan(count));
            if (read == 0)
                break;

            count += read;
            if (count < sizes.Length)
                continue;
            Array.Resize(ref digests, digests.Length * 2);
            Array.Resize(ref sizes, sizes.Length * 2);
        }

        return new Volume(volume.Name.FileName, digests.AsMemory(0, count * digestSize), sizes.AsMemory(0, count), volume.Hash, volume.Size);
    }

    // The reader may reuse the memory of a blocklist for the next one.
    private static BatchBlocklist Copy(IndexedBlocklist blocklist, int digestSize)
    {
        var hash = new byte[digestSize];
        // A blocklist whose content fits its name has a name that is a digest.
        Convert.TryFromBase64String(blocklist.Hash, hash, out _);
        return new BatchBlocklist(hash, blocklist.Digests.ToArray());
    }
}
