// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Linq;
using System.Text.Json;
using System.Text.Json.Serialization;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>The metadata that the database keeps as text.</summary>
internal static class MetadataListing
{
    // Row ids, FilesetentryFileIdIndex.
    private const string MetadataOfFile = """
        SELECT "Metadataset"."Content"
        FROM "FileLookup" CROSS JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        WHERE "FileLookup"."ID" = ?1 AND EXISTS (SELECT 1 FROM "FilesetEntry" WHERE "FilesetEntry"."FileID" = ?1)
        """;

    private static readonly string LOGTAG = Log.LogTagFromType<LocalListDatabase>();

    /// <summary>
    /// The metadata of files by the id of their FileLookup row. Files that no fileset holds, and those without text, are left out;
    /// so is text that is no map of texts, with a warning. Three look-ups a file.
    /// </summary>
    internal static Dictionary<long, Dictionary<string, string?>> Of(DatabaseSession session, IEnumerable<long> fileIds)
    {
        var result = new Dictionary<long, Dictionary<string, string?>>();
        using var select = session.Take(MetadataOfFile);
        foreach (var id in fileIds.Distinct())
        {
            var content = select.Bind(1, id).ExecuteString();
            if (!string.IsNullOrWhiteSpace(content) && Parse(id, content) is { } values)
                result.Add(id, values);
        }

        return result;
    }

    private static Dictionary<string, string?>? Parse(long fileId, string content)
    {
        try
        {
            return JsonSerializer.Deserialize(content, MetadataJson.Default.DictionaryStringString);
        }
        catch (JsonException ex)
        {
            Log.WriteWarningMessage(
                LOGTAG,
                "InvalidMetadata",
                ex,
                "The metadata of the file with id {0} cannot be read: {1}",
                fileId,
                ex.Message
            );
            return null;
        }
    }
}

/// <summary>Reads the texts of metadata with code that the compiler makes, so that no reflection is needed.</summary>
[JsonSerializable(typeof(Dictionary<string, string?>))]
internal sealed partial class MetadataJson : JsonSerializerContext;
