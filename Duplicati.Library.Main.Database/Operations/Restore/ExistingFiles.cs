// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Threading;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>The files of a list that have blocks, by target path. Reads blocksets, so it does not need the block list.</summary>
internal static class ExistingFiles
{
    internal static IAsyncEnumerable<LocalRestoreDatabase.IExistingFile> ReadAsync(
        DatabaseSession session,
        RestoreFileList list,
        CancellationToken token
    )
    {
        TargetSnapshot targets = default;
        return Paged.RowsAsync(session, Ids, Read, token);

        IReadOnlyList<long> Ids(DatabaseSession s)
        {
            if (!list.Exists || !list.Blocks.Wanted)
                return [];
            targets = list.Targets();
            return list.IdsByTarget(targets);
        }

        LocalRestoreDatabase.IExistingFile? Read(DatabaseSession s, long id) =>
            RestoreEntry.Read(s, id) is { HasBlocks: true } entry
                ? new ExistingFile(session, entry.BlocksetId, targets.Of(id, entry.Path), entry.FullHash ?? "", id, entry.Length)
                : null;
    }

    private sealed record ExistingFile(
        DatabaseSession Session,
        long BlocksetId,
        string TargetPath,
        string TargetHash,
        long TargetFileID,
        long Length
    ) : LocalRestoreDatabase.IExistingFile
    {
        public IAsyncEnumerable<LocalRestoreDatabase.IExistingFileBlock> BlocksAsync(CancellationToken token) =>
            FileBlock.OfBlocksetAsync(Session, BlocksetId, token);
    }
}
