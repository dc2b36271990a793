// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Repair;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalRepairDatabase
{
    /// <summary>Leaves one row of metadata for each content. Linear in the metadata. Commits if there was something to do.</summary>
    /// <exception cref="Interface.UserInformationException">Help id DuplicateHashesRepairFailed: duplicates are left.</exception>
    public Task FixDuplicateMetahashAsync(CancellationToken token) => FixAsync(DuplicateRows.Metadata.Fix, "FixDuplicateMetahash", token);

    /// <summary>Leaves one row for each path, content and metadata. Linear in the files. Commits if there was something to do.</summary>
    /// <exception cref="Interface.UserInformationException">Help id DuplicateFilesRepairFailed: duplicates are left.</exception>
    public Task FixDuplicateFileentriesAsync(CancellationToken token) =>
        FixAsync(DuplicateRows.Files.Fix, "FixDuplicateFileentries", token);

    /// <summary>
    /// Leaves each path once in a fileset, in the version with the highest file id. Near-linear in the files. Commits if there was
    /// something to do.
    /// </summary>
    public Task FixDuplicatePathsInFilesetsAsync(CancellationToken token) =>
        FixAsync(DuplicatePaths.Fix, "FixDuplicatePathsInFilesets", token);

    /// <summary>Leaves one blocklist for each position of a blockset. Commits if there was something to do.</summary>
    /// <param name="blocksize">Bytes of a full block.</param>
    /// <param name="hashsize">Bytes of a digest.</param>
    /// <param name="token">Cancels the call.</param>
    /// <exception cref="Interface.UserInformationException">Help id DuplicateBlocklistHashesRepairFailed: the tables do not fit together
    /// afterwards.</exception>
    /// <exception cref="Exception">An unexpected number of rows was deleted.</exception>
    public Task FixDuplicateBlocklistHashesAsync(long blocksize, long hashsize, CancellationToken token) =>
        FixAsync(session => DuplicateBlocklists.Fix(session, blocksize, hashsize, token), "FixDuplicateBlocklistHashes", token);

    /// <summary>
    /// Makes the blocklists of blocksets that lack some, or have too many, from their blocks. Linear in the blocks of all blocksets.
    /// Commits if there was something to do.
    /// </summary>
    /// <param name="blockhashalgorithm">The hash function of blocks.</param>
    /// <param name="blocksize">Bytes of a full block.</param>
    /// <param name="token">Cancels the call.</param>
    /// <exception cref="Interface.UserInformationException">Help id MissingBlocklistHashesRepairFailed: some are left.</exception>
    /// <exception cref="Exception">A blocklist is stored in no volume, or a blockset has gaps.</exception>
    public Task FixMissingBlocklistHashesAsync(string blockhashalgorithm, long blocksize, CancellationToken token) =>
        FixAsync(session => BlocklistRebuild.Fix(session, blockhashalgorithm, blocksize), "FixMissingBlocklistHashes", token);

    /// <summary>
    /// Replaces metadata without content by other metadata. Linear in the blocksets. Commits if there was something to do.
    /// </summary>
    /// <param name="options">Name the hash function of files.</param>
    /// <param name="token">Cancels the call.</param>
    /// <exception cref="Interface.UserInformationException">Help id FailedToLocateEmptyMetadataBlockset: there is nothing to replace it by;
    /// MetadataRepairFailed: some is left.</exception>
    public Task FixEmptyMetadatasetsAsync(Options options, CancellationToken token)
    {
        var empty = EmptyMetadata.Of(options.FileHashAlgorithm);
        return FixAsync(session => ZeroLengthMetadata.Fix(session, empty), "FixEmptyMetadatasets", token);
    }

    private Task FixAsync(Func<DatabaseSession, bool> fix, string message, CancellationToken token) =>
        Session.LongAsync(
            session =>
            {
                if (fix(session))
                    m_rtr.Commit(message);
            },
            token
        );
}
