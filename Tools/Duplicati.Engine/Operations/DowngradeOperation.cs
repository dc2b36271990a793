// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Migrations;

namespace Duplicati.Engine.Operations;

/// <summary>Leads a database back to the schema of an older release, which can open it then.</summary>
public static class DowngradeOperation
{
    private const int Oldest = 13;

    // Walks one table, once for a question to the user.
    private const string COUNT_TESTED = """SELECT COUNT(*) FROM "RestoreTestHistory" """;
    private const string LABELS =
        """SELECT "Timestamp", "Label" FROM "Fileset" WHERE "Label" IS NOT NULL ORDER BY "Timestamp" DESC, "ID" DESC""";
    private const string COUNT_CONTENTS = """SELECT COUNT(*) FROM "Metadataset" WHERE "Content" <> ''""";
    private const string COUNT_LOCKS = """SELECT COUNT(*) FROM "Remotevolume" WHERE "LockExpirationTime" <> 0""";
    private const string COUNT_ARCHIVED = """SELECT COUNT(*) FROM "Remotevolume" WHERE "ArchiveTime" <> 0""";

    // Small tables, or the schema; each drops what the script of the version has added.
    private static readonly Dictionary<int, string> s_steps = new()
    {
        [21] = """DROP TABLE "RestoreTestHistory" """,
        [20] = """ALTER TABLE "Fileset" DROP COLUMN "Label" """,
        // Writes each row of Metadataset anew.
        [19] = """ALTER TABLE "Metadataset" DROP COLUMN "Content" """,
        [18] = """ALTER TABLE "Remotevolume" DROP COLUMN "LockExpirationTime" """,
        [17] = """DROP INDEX IF EXISTS "BlocksetEntry_BlocksetID" """,
        [16] = """DROP INDEX IF EXISTS "RemotevolumeNameOnly"; DROP INDEX IF EXISTS "FileLookupMetadataID" """,
        [15] = """ALTER TABLE "Remotevolume" DROP COLUMN "ArchiveTime" """,
        [14] = """DROP INDEX IF EXISTS "DeletedBlockHashSize"; DROP INDEX IF EXISTS "DeletedBlockHashVolumeID" """,
    };

    /// <summary>Versions that can be asked for.</summary>
    public static IEnumerable<int> Versions => Enumerable.Range(Oldest, s_steps.Count);

    /// <summary>What an older version cannot keep, one line each. Changes nothing.</summary>
    /// <param name="path">The database.</param>
    /// <param name="version">The version to lead to.</param>
    /// <param name="shown">Notes it, for <see cref="Run"/>.</param>
    /// <exception cref="UserInformationException">As <see cref="Run"/>.</exception>
    public static IReadOnlyList<string> Losses(string path, int version, ShownLosses shown)
    {
        var losses = Losses(path, version);
        shown.Require(losses);
        return losses;
    }

    /// <summary>Completes indexes that are left out, makes a copy beside the database, and leads it back. All or nothing.</summary>
    /// <param name="path">The database.</param>
    /// <param name="version">The version to lead to; a database that is not beyond it stays as it is.</param>
    /// <param name="shown">What was shown of <see cref="Losses(string, int, ShownLosses)"/>, if anything: no more is lost.</param>
    /// <param name="progress">Told of a wait for another operation.</param>
    /// <param name="token">Cancels while indexes are built.</param>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>DatabaseFormatError</c>,
    /// <c>DatabaseVersionNotSupportedError</c>, <c>DatabaseIsBeingFilled</c>, <c>DatabaseLacksIndexes</c>,
    /// <c>LossesHaveChanged</c>.</exception>
    public static UpgradeReport Run(string path, int version, ShownLosses shown, IEngineProgress progress, CancellationToken token)
    {
        DatabaseFile.RequireExists(path);
        using var turn = OperationTurn.Take(path, progress, token);
        shown.Require(Losses(path, version));
        var (before, missing) = UpgradeOperation.State(path);
        using (var connection = SQLiteLoader.LoadConnection(path))
        {
            DeferredIndexes.RestoreAfterInterruption(connection, token);
            SchemaUpgrade.To(connection, path, typeof(DatabaseSchemaMarker), before);
            LeftOutText.RequireComplete(path);
            SchemaDowngrade.Run(connection, path, version, s_steps);
        }

        return new UpgradeReport(before, UpgradeOperation.State(path).Version, missing);
    }

    private static List<string> Losses(string path, int version)
    {
        DatabaseFile.RequireExists(path);
        DatabaseGuard.RequireSchema(path);
        using var reading = new ReadingConnection(path);
        var connection = reading.Connection;
        var losses = new List<string>();
        if (version < 21 && DumpQuery.HasColumn(connection, "RestoreTestHistory", "Path"))
            Add(
                losses,
                DumpQuery.Number(connection, COUNT_TESTED),
                "file that a restore test has looked at",
                "files that a restore test has looked at"
            );
        if (version < 20 && DumpQuery.HasColumn(connection, "Fileset", "Label"))
            losses.AddRange(
                DumpQuery.Rows(
                    connection,
                    LABELS,
                    row =>
                        $"the label of the version of {DumpQuery.Time(row.GetInt64(0)).ToString("u", CultureInfo.InvariantCulture)}: {row.GetString(1)}"
                )
            );
        if (version < 19 && DumpQuery.HasColumn(connection, "Metadataset", "Content"))
            Add(
                losses,
                DumpQuery.Number(connection, COUNT_CONTENTS),
                "text of metadata, which the volumes have as well",
                "texts of metadata, which the volumes have as well"
            );
        if (version < 18 && DumpQuery.HasColumn(connection, "Remotevolume", "LockExpirationTime"))
            Add(
                losses,
                DumpQuery.Number(connection, COUNT_LOCKS),
                "time until which a volume is locked",
                "times until which volumes are locked"
            );
        if (version < 15 && DumpQuery.HasColumn(connection, "Remotevolume", "ArchiveTime"))
            Add(
                losses,
                DumpQuery.Number(connection, COUNT_ARCHIVED),
                "time at which a volume was archived",
                "times at which volumes were archived"
            );
        return losses;
    }

    private static void Add(List<string> losses, long count, string one, string several)
    {
        if (count > 0)
            losses.Add(SizeText.Count(count, one, several));
    }
}
