// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.IO.Compression;
using System.Text.Json;
using Duplicati.Library.Main.Volumes;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>Keeps what it is given as lines of text, and reads a real list volume as the same lines.</summary>
internal sealed class RecordingFilesetWriter : FilesetVolumeWriter
{
    private const string TIME = "yyyyMMdd'T'HHmmss'Z'";

    internal List<string> Lines { get; } = [];

    /// <summary>Called before a file is recorded.</summary>
    internal Func<string, Task>? OnFile { get; init; }

    /// <summary>The entries of a list volume (a plain zip file).</summary>
    internal static List<string> Read(string path)
    {
        using var zip = ZipFile.OpenRead(path);
        using var stream = zip.GetEntry("filelist.json")!.Open();
        using var json = JsonDocument.Parse(stream);
        return [.. json.RootElement.EnumerateArray().Select(ToLine)];
    }

    protected override void WriteDirectory(
        string name,
        string metahash,
        long metasize,
        string? metablockhash,
        IEnumerable<string>? metablocklisthashes
    ) => Lines.Add(Line("Folder", name, null, -1, null, Meta(metahash, metasize, metablockhash, metablocklisthashes), null));

    protected override void WriteSymlink(
        string name,
        string metahash,
        long metasize,
        string? metablockhash,
        IEnumerable<string>? metablocklisthashes
    ) => Lines.Add(Line("Symlink", name, null, -1, null, Meta(metahash, metasize, metablockhash, metablocklisthashes), null));

    protected override async Task WriteFileAsync(
        string name,
        string filehash,
        long size,
        DateTime lastmodified,
        string metahash,
        long metasize,
        string? metablockhash,
        string? blockhash,
        long blocksize,
        IAsyncEnumerable<string>? blocklisthashes,
        IEnumerable<string>? metablocklisthashes
    )
    {
        if (OnFile is not null)
            await OnFile(name);
        var blocklists = blocklisthashes is null ? null : await blocklisthashes.ToListAsync();
        var data =
            blocklists is not null ? string.Join(",", blocklists)
            : blockhash is null ? ""
            : $"{blockhash}/{blocksize}";
        Lines.Add(
            Line(
                "File",
                name,
                filehash,
                size,
                lastmodified.ToString(TIME, CultureInfo.InvariantCulture),
                Meta(metahash, metasize, metablockhash, metablocklisthashes),
                data
            )
        );
    }

    private static string Meta(string hash, long size, string? blockhash, IEnumerable<string>? blocklists) =>
        $"{hash}/{size}/{(blocklists is not null ? string.Join(",", blocklists) : blockhash == hash ? "" : blockhash)}";

    private static string Line(string type, string path, string? hash, long size, string? time, string meta, string? data) =>
        string.Join('|', type, path, hash, size, time, meta, data);

    private static string ToLine(JsonElement entry)
    {
        var meta = Meta(Text(entry, "metahash")!, Number(entry, "metasize"), Text(entry, "metablockhash"), List(entry, "metablocklists"));
        if (Text(entry, "type") != "File")
            return Line(Text(entry, "type")!, Text(entry, "path")!, null, -1, null, meta, null);

        var blocklists = List(entry, "blocklists");
        var data =
            blocklists is not null ? string.Join(",", blocklists)
            : Text(entry, "blockhash") is { } hash ? $"{hash}/{Number(entry, "blocksize")}"
            : "";
        return Line("File", Text(entry, "path")!, Text(entry, "hash"), Number(entry, "size"), Text(entry, "time"), meta, data);
    }

    private static string? Text(JsonElement entry, string name) => entry.TryGetProperty(name, out var value) ? value.GetString() : null;

    private static long Number(JsonElement entry, string name) => entry.TryGetProperty(name, out var value) ? value.GetInt64() : -1;

    private static string[]? List(JsonElement entry, string name) =>
        entry.TryGetProperty(name, out var value) ? [.. value.EnumerateArray().Select(x => x.GetString()!)] : null;
}
