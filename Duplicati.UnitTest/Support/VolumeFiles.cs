// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Duplicati.UnitTest.Support;

/// <summary>Writes volumes that are not encrypted again with other content.</summary>
internal static class VolumeEdit
{
    private static readonly JsonSerializerOptions s_json = new()
    {
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    /// <summary>Gives each entry another name or content.</summary>
    internal static void Rewrite(string path, Func<string, byte[], (string Name, byte[] Content)> change)
    {
        var entries = Read(path).ConvertAll(x => change(x.Name, x.Content));
        using var zip = new ZipArchive(File.Create(path), ZipArchiveMode.Create);
        foreach (var (name, content) in entries)
        {
            using var entry = zip.CreateEntry(name).Open();
            entry.Write(content);
        }
    }

    /// <summary>Changes the entries of a file list.</summary>
    internal static void RewriteList(string path, Action<JsonArray> change) =>
        Rewrite(
            path,
            (name, content) =>
            {
                if (name != "filelist.json")
                    return (name, content);
                // The byte order mark is no JSON.
                var entries = JsonNode.Parse(content.AsSpan(content[0] == 0xEF ? 3 : 0))!.AsArray();
                change(entries);
                return (name, JsonSerializer.SerializeToUtf8Bytes(entries, s_json));
            }
        );

    /// <summary>An index volume says of its block volume that it holds blocks of another one, too.</summary>
    internal static void Claim(string index, string other, int count = int.MaxValue)
    {
        Describe(
            index,
            described =>
            {
                foreach (var block in Described(other).Content["blocks"]!.AsArray().Take(count))
                    described["blocks"]!.AsArray().Insert(0, block!.DeepClone());
            }
        );
    }

    /// <summary>The first block volume that an index volume describes, and what it says of it.</summary>
    internal static (string Volume, JsonObject Content) Described(string index)
    {
        var (name, content) = Read(index).First(x => x.Name.StartsWith("vol/", StringComparison.Ordinal));
        return (name["vol/".Length..], JsonNode.Parse(content)!.AsObject());
    }

    /// <summary>The entries of a volume.</summary>
    internal static List<(string Name, byte[] Content)> Read(string path)
    {
        using var zip = ZipFile.OpenRead(path);
        return
        [
            .. zip.Entries.Select(x =>
            {
                using var content = new MemoryStream();
                using var entry = x.Open();
                entry.CopyTo(content);
                return (x.FullName, content.ToArray());
            }),
        ];
    }

    /// <summary>Changes what an index volume says of its block volume.</summary>
    internal static void Describe(string index, Action<JsonObject> change)
    {
        var (volume, described) = Described(index);
        change(described);
        Rewrite(
            index,
            (name, content) => (name, name == "vol/" + volume ? JsonSerializer.SerializeToUtf8Bytes(described, s_json) : content)
        );
    }

    /// <summary>Changes one bit of a file.</summary>
    internal static void Flip(string path, Index at)
    {
        var bytes = File.ReadAllBytes(path);
        bytes[at] ^= 1;
        File.WriteAllBytes(path, bytes);
    }

    /// <summary>Cuts a file off.</summary>
    /// <param name="path">The file.</param>
    /// <param name="percent">What is left.</param>
    internal static void Cut(string path, int percent = 50)
    {
        using var file = new FileStream(path, FileMode.Open);
        file.SetLength(file.Length * percent / 100);
    }

    /// <summary>Exchanges the contents of two files.</summary>
    internal static void Swap(string one, string other)
    {
        var aside = one + ".aside";
        File.Move(one, aside);
        File.Move(other, one);
        File.Move(aside, other);
    }
}

/// <summary>The volumes in a remote folder, for tests that take some away or damage them.</summary>
internal static class VolumeFiles
{
    /// <summary>Full paths: those of blocks by size, the largest first, all others by name, which for file lists is by time.</summary>
    /// <remarks>
    /// Names of block volumes are random, and a small one may hold nothing but metadata, which fails no file when it is lost.
    /// </remarks>
    /// <param name="remote">The remote folder.</param>
    /// <param name="type">dblock, dindex or dlist.</param>
    internal static string[] Of(string remote, string type)
    {
        var files = new DirectoryInfo(remote).GetFiles($"*.{type}.*").OrderBy(x => x.Name, StringComparer.Ordinal);
        return [.. (type == "dblock" ? files.OrderByDescending(x => x.Length) : files).Select(x => x.FullName)];
    }

    /// <summary>Copies all files of a folder, but no folders in it.</summary>
    /// <param name="from">The folder.</param>
    /// <param name="to">Where to; made if it does not exist. It has none of the files.</param>
    internal static void Copy(string from, string to)
    {
        Directory.CreateDirectory(to);
        foreach (var file in Directory.GetFiles(from))
            File.Copy(file, Path.Combine(to, Path.GetFileName(file)));
    }
}
