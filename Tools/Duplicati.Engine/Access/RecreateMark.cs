// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using System.Text.Json.Serialization;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Access;

/// <summary>
/// Says that a database is being recreated, and how far that has come. A row of table Configuration that others keep and do not know,
/// beside upstream's own flag, which is also set where a recreate has ended and found broken files.
/// </summary>
internal sealed record RecreateMark
{
    /// <summary>The key of the row.</summary>
    internal const string Key = "unfinished-recreate";

    /// <summary>The key of upstream's own flag.</summary>
    internal const string UpstreamsKey = "repair-in-progress";

    /// <summary>First part of the volume names.</summary>
    public string Prefix { get; init; } = "";

    /// <summary>Bytes of a block; 0 as long as no volume has told it.</summary>
    public long Blocksize { get; init; }

    /// <summary>The hash function of blocks.</summary>
    public string? BlockHash { get; init; }

    /// <summary>The hash function of files and volumes.</summary>
    public string? FileHash { get; init; }

    /// <summary>
    /// True once all volumes are read and what they do not need is removed: what is left to do is texts of metadata, and checks.
    /// </summary>
    public bool IsRead { get; init; }

    /// <summary>Number of entries of file lists that were left out, because they cannot be so.</summary>
    public long RefusedEntries { get; init; }

    /// <summary>True once it has what only the database had whose place it takes.</summary>
    public bool HasOwnRows { get; init; }

    /// <summary>True if a volume has told it.</summary>
    internal bool HasFormat => Blocksize > 0;

    /// <summary>Reads the value of the row.</summary>
    /// <returns>Null if it is of another release, which nobody can go on from.</returns>
    internal static RecreateMark? Parse(string text)
    {
        try
        {
            var mark = JsonSerializer.Deserialize(text, RecreateMarkJson.Default.RecreateMark);
            return
                mark is null
                || (mark.HasFormat && (VolumeHash.Find(mark.BlockHash ?? "") is null || VolumeHash.Find(mark.FileHash ?? "") is null))
                ? null
                : mark;
        }
        catch (JsonException)
        {
            return null;
        }
    }

    /// <summary>The value of the row.</summary>
    internal string ToText() => JsonSerializer.Serialize(this, RecreateMarkJson.Default.RecreateMark);

    /// <summary>Stores the row. Does not commit.</summary>
    internal async Task StoreAsync(LocalDatabase database, CancellationToken token)
    {
        var options = await database.GetDbOptionsAsync(token).ConfigureAwait(false);
        options[Key] = ToText();
        await database.SetDbOptionsAsync(options, token).ConfigureAwait(false);
    }

    /// <summary>This mark with the format of the volumes.</summary>
    internal RecreateMark With(VolumeFormat format) =>
        this with
        {
            Blocksize = format.Blocksize,
            BlockHash = format.BlockHash.Name,
            FileHash = format.FileHash.Name,
        };

    /// <summary>A format with what the volumes that were read are made with.</summary>
    internal VolumeFormat ApplyTo(VolumeFormat format) =>
        HasFormat
            ? format with
            {
                Blocksize = Blocksize,
                BlockHash = VolumeHash.Find(BlockHash!)!,
                FileHash = VolumeHash.Find(FileHash!)!,
            }
            : format;
}

/// <summary>Reads and writes the mark with code that the compiler makes, so that no reflection is needed.</summary>
[JsonSerializable(typeof(RecreateMark))]
internal sealed partial class RecreateMarkJson : JsonSerializerContext;
