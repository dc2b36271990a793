// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Dump;

/// <summary>The names in a dump.</summary>
public static class DumpNames
{
    /// <summary>Value of <c>format</c>.</summary>
    public const string Format = "duplicati-golden-dump";

    /// <summary>Value of <c>format_version</c>.</summary>
    public const int FormatVersion = 1;

    /// <summary>Stands for what an id refers to and is not there.</summary>
    public const string Missing = "?missing";

    /// <summary>Kind of a regular file.</summary>
    public const string File = "file";

    /// <summary>Kind of a folder.</summary>
    public const string Folder = "folder";

    /// <summary>Kind of a symbolic link.</summary>
    public const string Symlink = "symlink";

    public const string RemoteVolumes = "remote_volumes";
    public const string Blocks = "blocks";
    public const string DuplicateBlocks = "duplicate_blocks";
    public const string DeletedBlocks = "deleted_blocks";
    public const string Blocksets = "blocksets";
    public const string Metadatasets = "metadatasets";
    public const string PathPrefixes = "path_prefixes";
    public const string Filesets = "filesets";
    public const string FilesWithoutFileset = "files_without_fileset";
    public const string IndexBlockLinks = "index_block_links";
    public const string RestoreTests = "restore_tests";
    public const string Configuration = "configuration";
    public const string Operations = "operations";
    public const string RowCounts = "row_counts";
    public const string SchemaObjects = "schema_objects";
    public const string SchemaVersion = "schema_version";
    public const string IntegrityCheck = "integrity_check";
}
