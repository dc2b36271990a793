// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalRestoreDatabase
{
    /// <summary>Marks blocks and files of the prepared list as restored. Disposing does not commit.</summary>
    /// <remarks>Each member completes before it returns. One call chain at a time.</remarks>
    public interface IBlockMarker : IDisposable, IAsyncDisposable
    {
        /// <summary>Marks one missing block. Index is the position in the file, from 0; sizes are bytes.</summary>
        /// <exception cref="Exception">There is no such block, or it is marked already.</exception>
        Task SetBlockRestoredAsync(long targetfileid, long index, string hash, long blocksize, bool metadata, CancellationToken token);

        /// <summary>Unmarks all blocks of a file, those of its metadata too.</summary>
        /// <exception cref="Exception">The file has no blocks.</exception>
        Task SetAllBlocksMissingAsync(long targetfileid, CancellationToken token);

        /// <summary>Marks all blocks of a file, and those of its metadata if asked.</summary>
        /// <exception cref="Exception">The file has no such blocks.</exception>
        Task SetAllBlocksRestoredAsync(long targetfileid, bool includeMetadata, CancellationToken token);

        /// <summary>Marks a file as verified.</summary>
        /// <exception cref="Exception">The file is not in the list.</exception>
        Task SetFileDataVerifiedAsync(long targetfileid, CancellationToken token);

        /// <summary>Commits the shared transaction.</summary>
        Task CommitAsync(CancellationToken token);

        /// <summary>Reports files fully restored and bytes restored, if anything was marked since the last call.</summary>
        Task UpdateProcessedAsync(IOperationProgressUpdater writer, CancellationToken token);
    }

    /// <summary>A block of a file to restore.</summary>
    public interface IExistingFileBlock
    {
        /// <summary>Base64 block hash.</summary>
        string Hash { get; }

        /// <summary>Position in the file, from 0.</summary>
        long Index { get; }

        /// <summary>Bytes.</summary>
        long Size { get; }
    }

    /// <summary>A file to restore that has blocks.</summary>
    public interface IExistingFile
    {
        /// <summary>Where it is restored to.</summary>
        string TargetPath { get; }

        /// <summary>Base64 hash of the whole file.</summary>
        string TargetHash { get; }

        /// <summary>Id in the list.</summary>
        long TargetFileID { get; }

        /// <summary>Bytes.</summary>
        long Length { get; }

        /// <summary>Its blocks in index order; may be read more than once.</summary>
        IAsyncEnumerable<IExistingFileBlock> BlocksAsync(CancellationToken token);
    }

    /// <summary>A place on this machine where a block may be found.</summary>
    public interface IBlockSource
    {
        /// <summary>A file that was backed up.</summary>
        string Path { get; }

        /// <summary>Bytes from its beginning.</summary>
        long Offset { get; }

        /// <summary>Always false: metadata is no source.</summary>
        bool IsMetadata { get; }
    }

    /// <summary>A missing block and the places it may be found at.</summary>
    public interface IBlockDescriptor
    {
        /// <summary>Base64 block hash.</summary>
        string Hash { get; }

        /// <summary>Bytes.</summary>
        long Size { get; }

        /// <summary>Bytes from the beginning of the target.</summary>
        long Offset { get; }

        /// <summary>Position in the target, from 0.</summary>
        long Index { get; }

        /// <summary>Whether it belongs to the metadata.</summary>
        bool IsMetadata { get; }

        /// <summary>The places, ordered by path and offset.</summary>
        IAsyncEnumerable<IBlockSource> BlockSourcesAsync(CancellationToken token);
    }

    /// <summary>A file to restore with missing blocks that may be found on this machine.</summary>
    public interface ILocalBlockSource
    {
        /// <summary>Where it is restored to.</summary>
        string TargetPath { get; }

        /// <summary>Id in the list.</summary>
        long TargetFileID { get; }

        /// <summary>The missing blocks in index order.</summary>
        IAsyncEnumerable<IBlockDescriptor> BlocksAsync(CancellationToken token);
    }

    /// <summary>A missing block that the newest backed-up version of the source has at the same place.</summary>
    public interface IBlockEntry
    {
        /// <summary>Bytes from the beginning of the file.</summary>
        long Offset { get; }

        /// <summary>Bytes.</summary>
        long Size { get; }

        /// <summary>Position in the file, from 0.</summary>
        long Index { get; }

        /// <summary>Base64 block hash.</summary>
        string Hash { get; }
    }

    /// <summary>A file to restore whose source still exists on this machine.</summary>
    public interface IFastSource
    {
        /// <summary>Where it is restored to.</summary>
        string TargetPath { get; }

        /// <summary>Id in the list.</summary>
        long TargetFileID { get; }

        /// <summary>Where it was backed up from.</summary>
        string SourcePath { get; }

        /// <summary>The missing blocks that the source is likely to have, in index order.</summary>
        IAsyncEnumerable<IBlockEntry> BlocksAsync(CancellationToken token);
    }

    /// <summary>A block to be written to a file.</summary>
    public interface IPatchBlock
    {
        /// <summary>Bytes from the beginning of the file.</summary>
        long Offset { get; }

        /// <summary>Bytes.</summary>
        long Size { get; }

        /// <summary>Base64 block hash.</summary>
        string Key { get; }
    }

    /// <summary>A file, or its metadata, and the missing blocks of it that a volume holds.</summary>
    public interface IVolumePatch
    {
        /// <summary>Where it is restored to.</summary>
        string Path { get; }

        /// <summary>Id in the list.</summary>
        long FileID { get; }

        /// <summary>The blocks in index order.</summary>
        IAsyncEnumerable<IPatchBlock> BlocksAsync(CancellationToken token);
    }

    /// <summary>What one volume is needed for. Disposing commits.</summary>
    public interface IFilesAndMetadata : IDisposable, IAsyncDisposable
    {
        /// <summary>Files with missing blocks in the volume, ordered by target path.</summary>
        IAsyncEnumerable<IVolumePatch> FilesWithMissingBlocksAsync(CancellationToken token);

        /// <summary>Entries with missing metadata blocks in the volume, ordered by target path.</summary>
        IAsyncEnumerable<IVolumePatch> MetadataWithMissingBlocksAsync(CancellationToken token);
    }

    /// <summary>A file to restore.</summary>
    public interface IFileToRestore
    {
        /// <summary>Where it is restored to.</summary>
        string Path { get; }

        /// <summary>Base64 hash of the whole file.</summary>
        string Hash { get; }

        /// <summary>Bytes.</summary>
        long Length { get; }
    }
}
