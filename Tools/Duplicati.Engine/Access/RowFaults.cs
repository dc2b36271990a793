// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Access;

/// <summary>Rows that refer to nothing or contradict each other, and which command mends them.</summary>
internal static class RowFaults
{
    /// <summary>Entries of versions without their file.</summary>
    internal static readonly Fault EntriesWithoutFile = new(
        RowFaultsSql.ENTRIES_WITHOUT_FILE,
        "entries of versions belong to files that are not there",
        true
    );

    /// <summary>Blocks of which nobody knows where they are. A compact would take what holds them for waste.</summary>
    internal static readonly Fault BlocksWithoutVolume = new(
        RowFaultsSql.BLOCKS_WITHOUT_VOLUME,
        "blocks lie in volumes that are not known",
        false
    );

    /// <summary>Files of versions of which the metadata, or its content, is not there. A list of files would leave them out.</summary>
    internal static readonly Fault FilesWithoutMetadata = new(
        RowFaultsSql.FILES_WITHOUT_METADATA,
        "files have metadata that are not there",
        false
    );

    /// <summary>Versions that cannot be told apart by their times, by which they are deleted.</summary>
    internal static readonly Fault VersionsOfOneSecond = new(
        RowFaultsSql.VERSIONS_OF_ONE_SECOND,
        "versions have the time of another one",
        true
    );

    /// <summary>All kinds.</summary>
    internal static readonly IReadOnlyList<Fault> All =
    [
        EntriesWithoutFile,
        new(RowFaultsSql.FILES_WITHOUT_CONTENT, "files have a content that is not there", false),
        FilesWithoutMetadata,
        new(RowFaultsSql.FILES_WITHOUT_FOLDER, "files are in folders that are not there", false),
        new(RowFaultsSql.BLOCKSETS_OF_WRONG_LENGTH, "contents have another length than their blocks together", false),
        BlocksWithoutVolume,
        new(RowFaultsSql.VERSIONS_WITHOUT_LIST, "versions have no file list volume", true),
        VersionsOfOneSecond,
    ];

    /// <summary>What mends that which a repair does not.</summary>
    internal static string LastRemedy => RemedyOf(isRepaired: false);

    /// <summary>A kind of fault.</summary>
    /// <param name="Sql">Counts them.</param>
    /// <param name="What">What is wrong, to follow the number.</param>
    /// <param name="IsRepaired">Whether a repair mends them; a recreate does if not.</param>
    internal sealed record Fault(string Sql, string What, bool IsRepaired)
    {
        /// <summary>What to do.</summary>
        internal string Remedy => RemedyOf(IsRepaired);

        /// <summary>What is wrong, without what to do; null if nothing is.</summary>
        internal string? Find(SqliteConnection connection) =>
            DumpQuery.Number(connection, Sql) is > 0 and var count ? $"{count} {What}" : null;
    }

    /// <summary>Fails if a database has rows of some kinds.</summary>
    /// <exception cref="DatabaseInconsistencyException">It has.</exception>
    internal static void Refuse(LocalDatabase database, params Fault[] faults)
    {
        foreach (var fault in faults)
        {
            if (fault.Find(database.Connection) is { } found)
                throw new DatabaseInconsistencyException(
                    $"The database is inconsistent: {found}. {(fault.IsRepaired ? fault.Remedy : LostBlocksMark.RemedyOfRecreate(database))}"
                );
        }
    }

    /// <summary>
    /// Fails if blocks lie in volumes that are not known. After a recreate that has not come to its end that is what it did not find.
    /// </summary>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseInconsistency</c>, <c>DatabaseRepairInProgress</c>.</exception>
    internal static async Task RefuseLostBlocksAsync(LocalDatabase database, CancellationToken token)
    {
        if (BlocksWithoutVolume.Find(database.Connection) is { } found && await database.RepairInProgressAsync(token).ConfigureAwait(false))
            throw new UserInformationException($"{found}. {LostBlocksMark.ProblemOfRecreate(database)}", "DatabaseRepairInProgress");
        Refuse(database, BlocksWithoutVolume);
    }

    /// <summary>Verifies the consistency of a database, and says what mends it.</summary>
    /// <exception cref="DatabaseInconsistencyException">It is inconsistent.</exception>
    internal static async Task VerifyAsync(LocalDatabase database, BackupSettings settings, bool withLists, CancellationToken token)
    {
        try
        {
            await database.VerifyConsistencyAsync(settings.BlockSize, settings.DigestSize, withLists, token).ConfigureAwait(false);
        }
        catch (DatabaseInconsistencyException ex)
        {
            throw WithRemedy(ex, RemedyFor(database));
        }
    }

    /// <summary>The same for a repair, of what it cannot mend.</summary>
    /// <param name="database">The database.</param>
    /// <param name="settings">Sizes of blocks and hashes.</param>
    /// <param name="isEnd">Whether all versions must have their lists.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="DatabaseInconsistencyException">It is inconsistent.</exception>
    internal static async Task VerifyRepairedAsync(LocalDatabase database, BackupSettings settings, bool isEnd, CancellationToken token)
    {
        try
        {
            await (
                isEnd
                    ? database.VerifyConsistencyAsync(settings.BlockSize, settings.DigestSize, true, token)
                    : database.VerifyConsistencyForRepairAsync(settings.BlockSize, settings.DigestSize, true, token)
            ).ConfigureAwait(false);
        }
        catch (DatabaseInconsistencyException ex)
        {
            throw WithRemedy(ex, LostBlocksMark.RemedyOfRecreate(database));
        }
    }

    private static string RemedyFor(LocalDatabase database) =>
        All.Any(x => !x.IsRepaired && x.Find(database.Connection) is not null)
            ? LostBlocksMark.RemedyOfRecreate(database)
            : Advice.InconsistentDatabase();

    private static string RemedyOf(bool isRepaired) => isRepaired ? Advice.InconsistentDatabase() : Advice.RecreateDatabase();

    private static DatabaseInconsistencyException WithRemedy(DatabaseInconsistencyException failure, string remedy) =>
        new($"{failure.Message.TrimEnd('.')}. {remedy}", failure.HelpID);
}
