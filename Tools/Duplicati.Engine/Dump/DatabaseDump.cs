// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;

namespace Duplicati.Engine.Dump;

/// <summary>The content of a database in memory, read from a database file.</summary>
/// <remarks>Immutable. About 250 bytes a block and 500 bytes an entry; for large databases write the dump straight from the file.</remarks>
public sealed class DatabaseDump
{
    /// <inheritdoc cref="DatabaseDumpReader.SchemaVersion"/>
    public required int SchemaVersion { get; init; }

    /// <inheritdoc cref="DatabaseDumpReader.IntegrityCheck"/>
    public required string IntegrityCheck { get; init; }

    /// <inheritdoc cref="DatabaseDumpReader.RemoteVolumes"/>
    public required IEnumerable<DumpVolume> RemoteVolumes { get; init; }

    /// <inheritdoc cref="DatabaseDumpReader.Blocks"/>
    public required IEnumerable<DumpBlock> Blocks { get; init; }

    /// <inheritdoc cref="DatabaseDumpReader.DuplicateBlocks"/>
    public required IEnumerable<DumpBlock> DuplicateBlocks { get; init; }

    /// <inheritdoc cref="DatabaseDumpReader.DeletedBlocks"/>
    public required IEnumerable<DumpBlock> DeletedBlocks { get; init; }

    /// <inheritdoc cref="DatabaseDumpReader.Blocksets"/>
    public required IEnumerable<DumpBlockset> Blocksets { get; init; }

    /// <inheritdoc cref="DatabaseDumpReader.Metadatasets"/>
    public required IEnumerable<DumpMetadataset> Metadatasets { get; init; }

    /// <inheritdoc cref="DatabaseDumpReader.PathPrefixes"/>
    public required IEnumerable<string>? PathPrefixes { get; init; }

    /// <inheritdoc cref="DatabaseDumpReader.Filesets"/>
    public required IEnumerable<DumpFileset> Filesets { get; init; }

    /// <inheritdoc cref="DatabaseDumpReader.FilesWithoutFileset"/>
    public required IEnumerable<DumpEntry> FilesWithoutFileset { get; init; }

    /// <inheritdoc cref="DatabaseDumpReader.IndexBlockLinks"/>
    public required IEnumerable<DumpIndexLink> IndexBlockLinks { get; init; }

    /// <inheritdoc cref="DatabaseDumpReader.RestoreTests"/>
    public required IEnumerable<DumpRestoreTest>? RestoreTests { get; init; }

    /// <inheritdoc cref="DatabaseDumpReader.Configuration"/>
    public required IReadOnlyDictionary<string, string> Configuration { get; init; }

    /// <inheritdoc cref="DatabaseDumpReader.Operations"/>
    public required IEnumerable<string> Operations { get; init; }

    /// <inheritdoc cref="DatabaseDumpReader.RowCounts"/>
    public required IReadOnlyDictionary<string, long> RowCounts { get; init; }

    /// <inheritdoc cref="DatabaseDumpReader.SchemaObjects"/>
    public required IEnumerable<DumpSchemaObject> SchemaObjects { get; init; }

    /// <summary>Reads a database file.</summary>
    /// <param name="path">The file, of any schema version; it is neither changed nor upgraded.</param>
    /// <returns>Its content.</returns>
    public static DatabaseDump Load(string path)
    {
        using var reader = new DatabaseDumpReader(path);
        return new DatabaseDump
        {
            SchemaVersion = reader.SchemaVersion,
            IntegrityCheck = reader.IntegrityCheck,
            RemoteVolumes = [.. reader.RemoteVolumes],
            Blocks = [.. reader.Blocks],
            DuplicateBlocks = [.. reader.DuplicateBlocks],
            DeletedBlocks = [.. reader.DeletedBlocks],
            Blocksets = [.. reader.Blocksets],
            Metadatasets = [.. reader.Metadatasets],
            PathPrefixes = reader.PathPrefixes?.ToArray(),
            Filesets = [.. reader.Filesets.Select(x => x with { Entries = [.. x.Entries] })],
            FilesWithoutFileset = [.. reader.FilesWithoutFileset],
            IndexBlockLinks = [.. reader.IndexBlockLinks],
            RestoreTests = reader.RestoreTests?.ToArray(),
            Configuration = reader.Configuration,
            Operations = [.. reader.Operations],
            RowCounts = reader.RowCounts,
            SchemaObjects = [.. reader.SchemaObjects],
        };
    }

    /// <summary>Writes the dump of a database file without holding it in memory.</summary>
    /// <param name="path">The file, of any schema version; it is neither changed nor upgraded.</param>
    /// <param name="output">Gets the JSON text, ASCII.</param>
    public static void Write(string path, Stream output)
    {
        using var reader = new DatabaseDumpReader(path);
        using var writer = new StreamWriter(output, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), leaveOpen: true);
        new DumpWriter(writer).Write(reader);
    }
}
