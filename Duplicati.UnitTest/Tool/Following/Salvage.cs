// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.IO.Compression;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

namespace Duplicati.UnitTest.Tool.Following;

/// <summary>
/// What can be restored of a remote folder of plain volumes by hand, without anything of the product: all entries of all block volumes
/// whose content has the hash that is their
/// name, and the files of each list that can be put together of them. Damaged volumes are read from one local header of a zip entry to the
/// next.
/// </summary>
internal sealed class Salvage
{
    private const int HeaderSize = 30;

    private static readonly byte[] s_header = "PK\u0003\u0004"u8.ToArray();

    private readonly Dictionary<string, byte[]> m_blocks = new(StringComparer.Ordinal);
    private readonly Dictionary<DateTime, List<(string Name, byte[] Content)>> m_contents = [];

    private Salvage(string remote)
    {
        foreach (var path in Directory.GetFiles(remote, "*.dblock.zip").Concat(Directory.GetFiles(remote, "*.dindex.zip")))
        {
            // Lists of blocks lie in index volumes as well.
            foreach (var (name, content) in Entries(File.ReadAllBytes(path)))
                Add(name.StartsWith("list/", StringComparison.Ordinal) ? name[5..] : name, content);
        }

        foreach (var path in Directory.GetFiles(remote, "duplicati-2*.dlist.zip"))
        {
            if (
                Entries(File.ReadAllBytes(path)).FirstOrDefault(x => x.Name == "filelist.json").Content is { } list
                && Files(list) is { } files
            )
                m_contents.Add(
                    DateTime.ParseExact(
                        Path.GetFileName(path).Split('-', '.')[1],
                        "yyyyMMdd'T'HHmmss'Z'",
                        CultureInfo.InvariantCulture,
                        DateTimeStyles.AdjustToUniversal | DateTimeStyles.AssumeUniversal
                    ),
                    files
                );
        }
    }

    /// <summary>
    /// Names and hashes of the files that can be restored, by time of the version (UTC). Versions whose list cannot be read are not there.
    /// </summary>
    internal SortedDictionary<DateTime, string[]> Versions =>
        new(m_contents.ToDictionary(x => x.Key, x => x.Value.Select(y => y.Name).Order(StringComparer.Ordinal).ToArray()));

    /// <summary>
    /// The files of all versions of a backup that was whole of which every block is in these volumes, oldest version first.
    /// </summary>
    internal List<string[]> Known(Salvage whole, int blockSize) =>
        [
            .. whole
                .m_contents.OrderBy(x => x.Key)
                .Select(x =>
                    x.Value.Where(y =>
                            y.Content.Chunk(blockSize).All(z => m_blocks.ContainsKey(Convert.ToBase64String(SHA256.HashData(z))))
                        )
                        .Select(y => y.Name)
                        .Order(StringComparer.Ordinal)
                        .ToArray()
                ),
        ];

    /// <summary>Reads all volumes.</summary>
    internal static Salvage Read(string remote) => new(remote);

    /// <summary>Whether all of these blocks are in the volumes.</summary>
    internal bool Holds(IEnumerable<string> hashes) => hashes.All(m_blocks.ContainsKey);

    /// <summary>A file, as in <see cref="Versions"/>.</summary>
    internal static string Describe(string path, byte[] content) => Describe(path, Convert.ToBase64String(SHA256.HashData(content)));

    /// <summary>A file, as in <see cref="Versions"/>, by the hash of its content.</summary>
    internal static string Describe(string path, string hash) => $"{path.TrimEnd('/').Split('/')[^1]} {hash}";

    private void Add(string name, byte[] content)
    {
        var hash = Convert.ToBase64String(SHA256.HashData(content));
        if (hash == name.Replace('-', '+').Replace('_', '/'))
            m_blocks[hash] = content;
    }

    private List<(string Name, byte[] Content)>? Files(byte[] list)
    {
        try
        {
            using var parsed = JsonDocument.Parse(Encoding.UTF8.GetString(list).TrimStart('\uFEFF'));
            return
            [
                .. parsed
                    .RootElement.EnumerateArray()
                    .Where(x => x.GetProperty("type").GetString() == "File")
                    .Select(Restored)
                    .OfType<(string, byte[])>(),
            ];
        }
        catch (JsonException)
        {
            return null;
        }
    }

    private (string Name, byte[] Content)? Restored(JsonElement file)
    {
        var content =
            file.GetProperty("size").GetInt64() == 0 ? []
            : file.TryGetProperty("blocklists", out var lists) && lists.ValueKind == JsonValueKind.Array ? Join(lists)
            : m_blocks.GetValueOrDefault(file.GetProperty("hash").GetString()!);
        return content is not null && Convert.ToBase64String(SHA256.HashData(content)) == file.GetProperty("hash").GetString()
            ? (Describe(file.GetProperty("path").GetString()!, content), content)
            : null;
    }

    private byte[]? Join(JsonElement lists)
    {
        using var content = new MemoryStream();
        foreach (var list in lists.EnumerateArray())
        {
            if (!m_blocks.TryGetValue(list.GetString()!, out var hashes))
                return null;
            foreach (var hash in hashes.Chunk(SHA256.HashSizeInBytes))
            {
                if (!m_blocks.TryGetValue(Convert.ToBase64String(hash), out var block))
                    return null;
                content.Write(block);
            }
        }

        return content.ToArray();
    }

    // https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3.7. What is not an entry, or not a whole one, is told by its hash.
    private static IEnumerable<(string Name, byte[] Content)> Entries(byte[] zip)
    {
        for (var at = Find(zip, 0); at >= 0; at = Find(zip, at + 1))
        {
            if (at + HeaderSize > zip.Length)
                yield break;
            var name = at + HeaderSize;
            var data = name + BitConverter.ToUInt16(zip, at + 26) + BitConverter.ToUInt16(zip, at + 28);
            if (
                data <= zip.Length
                && Content(zip, BitConverter.ToUInt16(zip, at + 8), data, BitConverter.ToInt32(zip, at + 18)) is { } content
            )
                yield return (Encoding.UTF8.GetString(zip, name, BitConverter.ToUInt16(zip, at + 26)), content);
        }
    }

    private static int Find(byte[] zip, int from) => zip.AsSpan(from).IndexOf(s_header) is >= 0 and var found ? from + found : -1;

    private static byte[]? Content(byte[] zip, int method, int data, int size)
    {
        if (method == 0)
            return size > 0 && data + size <= zip.Length ? zip[data..(data + size)] : null;
        try
        {
            using var deflated = new DeflateStream(new MemoryStream(zip, data, zip.Length - data), CompressionMode.Decompress);
            using var content = new MemoryStream();
            deflated.CopyTo(content);
            return content.ToArray();
        }
        catch (InvalidDataException)
        {
            return null;
        }
    }
}
