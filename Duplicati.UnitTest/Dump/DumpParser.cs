// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Engine.Dump;

namespace Duplicati.UnitTest.Dump;

/// <summary>Reads the JSON text of a dump.</summary>
internal static class DumpParser
{
    /// <summary>Reads a whole dump into memory.</summary>
    /// <param name="json">The text.</param>
    /// <returns>Its content.</returns>
    public static DatabaseDump Parse(Stream json)
    {
        using var document = ParseDocument(json);
        var root = document.RootElement;
        if (
            root.ValueKind != JsonValueKind.Object
            || !root.TryGetProperty("format", out var format)
            || format.GetString() != DumpNames.Format
            || root.GetProperty("format_version").GetInt32() != DumpNames.FormatVersion
        )
            throw new InvalidDataException($"The text is no dump of the format {DumpNames.Format}, version {DumpNames.FormatVersion}");
        return new DatabaseDump
        {
            SchemaVersion = root.GetProperty(DumpNames.SchemaVersion).GetInt32(),
            IntegrityCheck = root.GetProperty(DumpNames.IntegrityCheck).GetString()!,
            RemoteVolumes = List(root, DumpNames.RemoteVolumes, Volume),
            Blocks = List(root, DumpNames.Blocks, Block),
            DuplicateBlocks = List(root, DumpNames.DuplicateBlocks, Block),
            DeletedBlocks = List(root, DumpNames.DeletedBlocks, Block),
            Blocksets = List(root, DumpNames.Blocksets, Blockset),
            Metadatasets = List(
                root,
                DumpNames.Metadatasets,
                x => new DumpMetadataset(Text(x, "fullhash")!, Number(x, "length"), Text(x, "content"))
            ),
            PathPrefixes =
                root.GetProperty(DumpNames.PathPrefixes).ValueKind == JsonValueKind.Null
                    ? null
                    : List(root, DumpNames.PathPrefixes, x => x.GetString()!),
            Filesets = List(
                root,
                DumpNames.Filesets,
                x => new DumpFileset(
                    Number(x, "timestamp")!.Value,
                    Number(x, "is_full"),
                    Text(x, "volume"),
                    x.TryGetProperty("label", out var label) ? label.GetString() : null,
                    List(x, "entries", Entry)
                )
            ),
            FilesWithoutFileset = List(root, DumpNames.FilesWithoutFileset, Entry),
            IndexBlockLinks = List(root, DumpNames.IndexBlockLinks, x => new DumpIndexLink(x[0].GetString(), x[1].GetString())),
            RestoreTests = root.TryGetProperty(DumpNames.RestoreTests, out _) ? List(root, DumpNames.RestoreTests, RestoreTest) : null,
            Configuration = Members(root, DumpNames.Configuration, x => x.GetString()!),
            Operations = List(root, DumpNames.Operations, x => x.GetString()!),
            RowCounts = Members(root, DumpNames.RowCounts, x => x.GetInt64()),
            SchemaObjects = List(
                root,
                DumpNames.SchemaObjects,
                x => new DumpSchemaObject(x[0].GetString()!, x[1].GetString()!, x[2].GetString()!)
            ),
        };
    }

    private static JsonDocument ParseDocument(Stream json)
    {
        try
        {
            return JsonDocument.Parse(json);
        }
        catch (JsonException ex)
        {
            throw new InvalidDataException("The text is no JSON", ex);
        }
    }

    private static DumpVolume Volume(JsonElement x) =>
        new(
            Text(x, "name")!,
            Text(x, "type")!,
            Number(x, "size"),
            Text(x, "hash"),
            Text(x, "state")!,
            Number(x, "verification_count")!.Value,
            Number(x, "delete_grace_time"),
            Number(x, "archive_time"),
            Number(x, "lock_expiration_time")
        );

    private static DumpBlock Block(JsonElement x) => new(x[0].GetString()!, Number(x[1]), x[2].GetString());

    private static DumpBlockset Blockset(JsonElement x) =>
        new(
            Text(x, "fullhash")!,
            Number(x, "length")!.Value,
            Number(x, "block_count")!.Value,
            x.GetProperty("contiguous").GetBoolean(),
            Text(x, "blocks_digest")!,
            List(x, "blocklist_hashes", y => y.GetString()!)
        );

    private static DumpEntry Entry(JsonElement x) =>
        new(
            x[0].GetString()!,
            x[1].GetString()!,
            x[2].GetString(),
            Number(x[3]),
            x[4].GetString()!,
            Number(x[5]),
            x.GetArrayLength() > 6 ? Number(x[6]) : null
        );

    private static DumpRestoreTest RestoreTest(JsonElement x) => new(x[0].GetString()!, x[1].GetInt64(), x[2].GetString()!);

    private static T[] List<T>(JsonElement parent, string name, Func<JsonElement, T> read) =>
        [.. parent.GetProperty(name).EnumerateArray().Select(read)];

    private static SortedDictionary<string, T> Members<T>(JsonElement parent, string name, Func<JsonElement, T> read)
    {
        var members = new SortedDictionary<string, T>(StringComparer.Ordinal);
        foreach (var member in parent.GetProperty(name).EnumerateObject())
            members.Add(member.Name, read(member.Value));
        return members;
    }

    private static string? Text(JsonElement parent, string name) => parent.GetProperty(name).GetString();

    private static long? Number(JsonElement parent, string name) => Number(parent.GetProperty(name));

    private static long? Number(JsonElement value) => value.ValueKind == JsonValueKind.Null ? null : value.GetInt64();
}
