using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Recreate;

/// <summary>Everything an index volume says, read into memory so that volumes can be parsed in parallel and fed in order.</summary>
/// <param name="Name">The index volume's file name.</param>
/// <param name="Hash">Its file hash, Base64.</param>
/// <param name="Length">Its length in bytes.</param>
/// <param name="Volumes">The block volumes it describes.</param>
/// <param name="Blocklists">The blocklists in it whose content fits their name.</param>
/// <param name="RejectedBlocklists">Number of blocklists whose content did not.</param>
internal sealed record ParsedIndex(string Name, string Hash, long Length, IReadOnlyList<ParsedIndex.Volume> Volumes, IReadOnlyList<IndexedBlocklist> Blocklists, int RejectedBlocklists)
{
    /// <summary>One block volume and the blocks in it.</summary>
    internal sealed record Volume(string Name, IReadOnlyList<KeyValuePair<string, long>> Blocks, string? Hash, long Length);

    internal static ParsedIndex Read(string name, string hash, long length, Stream content)
    {
        using var reader = IndexVolumeReader.Open(content, name);
        var volumes = new List<Volume>();
        foreach (var volume in reader.ReadVolumes())
        {
            using (volume)
            {
                var blocks = volume.ReadBlocks().ToList();
                volumes.Add(new Volume(volume.Name.FileName, blocks, volume.Hash, volume.Size));
            }
        }

        // The reader may reuse the memory of a blocklist for the next one.
        var blocklists = reader.ReadBlocklists().Select(x => new IndexedBlocklist(x.Hash, x.Digests.ToArray())).ToList();
        return new ParsedIndex(name, hash, length, volumes, blocklists, reader.RejectedBlocklists.Count);
    }
}
