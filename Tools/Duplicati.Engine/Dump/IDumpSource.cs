// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Dump;

/// <summary>The content of a database with every id replaced by what it stands for, in no particular order.</summary>
public interface IDumpSource
{
    /// <summary>Version of the schema.</summary>
    int SchemaVersion { get; }

    /// <summary>Result of SQLite's check of the file, <c>ok</c> for a sound one.</summary>
    string IntegrityCheck { get; }

    /// <summary>Remote volumes.</summary>
    IEnumerable<DumpVolume> RemoteVolumes { get; }

    /// <summary>Blocks in use.</summary>
    IEnumerable<DumpBlock> Blocks { get; }

    /// <summary>Further copies of blocks in use.</summary>
    IEnumerable<DumpBlock> DuplicateBlocks { get; }

    /// <summary>Blocks no longer in use.</summary>
    IEnumerable<DumpBlock> DeletedBlocks { get; }

    /// <summary>Blocksets.</summary>
    IEnumerable<DumpBlockset> Blocksets { get; }

    /// <summary>Metadata records.</summary>
    IEnumerable<DumpMetadataset> Metadatasets { get; }

    /// <summary>Path prefixes; null before version 9.</summary>
    IEnumerable<string>? PathPrefixes { get; }

    /// <summary>Backup versions, oldest first.</summary>
    IEnumerable<DumpFileset> Filesets { get; }

    /// <summary>Files that no fileset holds.</summary>
    IEnumerable<DumpEntry> FilesWithoutFileset { get; }

    /// <summary>Links of index volumes to block volumes.</summary>
    IEnumerable<DumpIndexLink> IndexBlockLinks { get; }

    /// <summary>Files that restore tests have looked at; null before version 21.</summary>
    IEnumerable<DumpRestoreTest>? RestoreTests { get; }

    /// <summary>Stored options, by name in ordinal order.</summary>
    IReadOnlyDictionary<string, string> Configuration { get; }

    /// <summary>Descriptions of the operations, oldest first.</summary>
    IEnumerable<string> Operations { get; }

    /// <summary>Rows of each table and view; names in lower case and ordinal order.</summary>
    IReadOnlyDictionary<string, long> RowCounts { get; }

    /// <summary>Tables, indices and views.</summary>
    IEnumerable<DumpSchemaObject> SchemaObjects { get; }
}
