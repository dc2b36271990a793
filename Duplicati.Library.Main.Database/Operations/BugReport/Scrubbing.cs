// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Globalization;
using System.Text.RegularExpressions;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.BugReport;

/// <summary>
/// Leaves of the texts in a copy of a database only those that say nothing: digests, known words, numbers, and what in the name of a
/// volume follows its prefix. Paths and metadata are left to <see cref="Obfuscation"/>. Not part of the layer that is replaced, whose bug
/// report keeps more.
/// </summary>
internal static partial class Scrubbing
{
    // All of it reads whole tables: nothing may be left behind.

    // Small table, a row an operation.
    private const string EraseDescriptions = """
        UPDATE "Operation" SET "Description" = 'ERASED!'
        WHERE "Description" NOT IN ('Backup', 'Compact', 'Delete', 'Lock', 'List', 'ListAffected', 'ListBrokenFiles', 'ListChanges', 'ListControlFiles', 'Restore',
            'RestoreControlFiles', 'Recreate', 'Repair', 'Test', 'Purge', 'Vacuum', 'Verify', 'BugReportCreate', 'list-remote')
        """;

    // Small table, a row a volume.
    private const string EraseVolumeTypes =
        """UPDATE "Remotevolume" SET "Type" = 'ERASED!' WHERE "Type" NOT IN ('Blocks', 'Files', 'Index')""";

    // Small table, a row a volume.
    private const string EraseVolumeStates = """
        UPDATE "Remotevolume" SET "State" = 'ERASED!' WHERE "State" NOT IN ('Temporary', 'Uploading', 'Uploaded', 'Verified', 'Deleting', 'Deleted')
        """;

    // Small table, a row a volume. Digests of MD5, SHA-1, SHA-256, SHA-384 and SHA-512 have these lengths in Base64.
    private const string EraseVolumeHashes = """
        UPDATE "Remotevolume" SET "Hash" = 'ERASED!' WHERE LENGTH("Hash") NOT IN (0, 24, 28, 44, 64, 88) OR "Hash" GLOB '*[^A-Za-z0-9+/=]*'
        """;

    // Small table, a row a volume.
    private const string VolumeNames = """SELECT "ID", "Name" FROM "Remotevolume" """;

    // By id.
    private const string SetVolumeName = """UPDATE "Remotevolume" SET "Name" = ?2 WHERE "ID" = ?1""";

    // Each is another one, as the hashes of a table must be.
    internal const string EraseBlockHashes = """
        UPDATE "Block" SET "Hash" = 'ERASED!' || "ID" WHERE LENGTH("Hash") NOT IN (24, 28, 44, 64, 88) OR "Hash" GLOB '*[^A-Za-z0-9+/=]*'
        """;

    internal const string EraseDeletedBlockHashes = """
        UPDATE "DeletedBlock" SET "Hash" = 'ERASED!' || "ID" WHERE LENGTH("Hash") NOT IN (24, 28, 44, 64, 88) OR "Hash" GLOB '*[^A-Za-z0-9+/=]*'
        """;

    internal const string EraseBlocksetHashes = """
        UPDATE "Blockset" SET "FullHash" = 'ERASED!' || "ID" WHERE LENGTH("FullHash") NOT IN (24, 28, 44, 64, 88) OR "FullHash" GLOB '*[^A-Za-z0-9+/=]*'
        """;

    internal const string EraseBlocklistHashes = """
        UPDATE "BlocklistHash" SET "Hash" = 'ERASED!' || "BlocksetID" || '-' || "Index"
        WHERE LENGTH("Hash") NOT IN (24, 28, 44, 64, 88) OR "Hash" GLOB '*[^A-Za-z0-9+/=]*'
        """;

    // A history that is kept for a month. What was sent or answered names volumes.
    private const string EraseRemoteData = """UPDATE "RemoteOperation" SET "Data" = NULL WHERE "Data" IS NOT NULL""";

    // A history that is kept for a month.
    private const string EraseRemoteOperations =
        """UPDATE "RemoteOperation" SET "Operation" = 'ERASED!' WHERE "Operation" NOT IN ('put', 'get', 'delete', 'list', 'createfolder')""";

    // A history that is kept for a month.
    private const string RemotePaths = """SELECT "ID", "Path" FROM "RemoteOperation" """;

    // By id.
    private const string SetRemotePath = """UPDATE "RemoteOperation" SET "Path" = ?2 WHERE "ID" = ?1""";

    // A history that is kept for a month. No rule tells a name from another word.
    private const string EraseMessages = """
        UPDATE "LogData" SET "Message" = 'ERASED!', "Exception" = CASE WHEN "Exception" IS NULL THEN NULL ELSE 'ERASED!' END,
            "Type" = CASE WHEN "Type" IN ('Error', 'Warning', 'Information', 'Verbose', 'Profiling', 'Retry', 'DryRun', 'ExplicitOnly', 'Result') THEN "Type" ELSE 'ERASED!' END
        """;

    // Small table, a row a setting.
    private const string EraseSettings = """
        UPDATE "Configuration" SET "Value" = 'ERASED!'
        WHERE "Key" NOT IN ('blocksize', 'dblock-size', 'blockhash', 'filehash', 'compression-module', 'encryption-module', 'repair-in-progress', 'partially-recreated', 'terminated-with-active-uploads')
            OR LOWER("Value") NOT IN ('', 'true', 'false', 'md5', 'sha1', 'sha256', 'sha384', 'sha512', 'zip', '7z', 'tgz', 'tzstd', 'aes', 'gpg') AND ("Value" GLOB '*[^0-9]*' OR LENGTH("Value") > 19)
        """;

    // Small table, a row a setting.
    private const string EraseSettingNames = """
        UPDATE "Configuration" SET "Key" = 'ERASED!' || rowid
        WHERE "Key" NOT IN ('blocksize', 'dblock-size', 'blockhash', 'filehash', 'compression-module', 'encryption-module', 'repair-in-progress', 'partially-recreated', 'terminated-with-active-uploads', 'passphrase')
        """;

    // A row a volume of Windows.
    private const string EraseJournals = """DELETE FROM "ChangeJournalData" """;

    // The schema: what others have added, what a recreate notes, and statistics, which hold samples of the rows.
    private const string Unknown = """
        SELECT printf('DROP %s IF EXISTS "%w"', "type", "name") FROM "sqlite_master"
        WHERE "type" IN ('table', 'view', 'trigger') AND "name" <> 'sqlite_sequence' AND "name" NOT IN ('Operation', 'Remotevolume', 'IndexBlockLink', 'Fileset', 'FilesetEntry', 'PathPrefix',
            'FileLookup', 'File', 'BlocklistHash', 'Blockset', 'BlocksetEntry', 'Block', 'DeletedBlock', 'DuplicateBlock', 'Metadataset', 'RemoteOperation', 'LogData', 'Version', 'Configuration',
            'ChangeJournalData')
        ORDER BY "type" DESC
        """;

    // The schema. A text where a number belongs, as after a page of another table was written there, may be anything.
    private const string StrangeTexts = """
        SELECT printf('DELETE FROM "%w" WHERE %s', "t"."name", GROUP_CONCAT(printf('TYPEOF("%w") IN (''text'', ''blob'')', "c"."name"), ' OR '))
        FROM "sqlite_master" "t" CROSS JOIN pragma_table_info("t"."name") "c"
        WHERE "t"."type" = 'table' AND "c"."type" NOT LIKE '%TEXT%' GROUP BY "t"."name"
        """;

    private const string Erased = "ERASED!";

    private static readonly string[] s_statements =
    [
        EraseDescriptions,
        EraseVolumeTypes,
        EraseVolumeStates,
        EraseVolumeHashes,
        EraseBlockHashes,
        EraseDeletedBlockHashes,
        EraseBlocksetHashes,
        EraseBlocklistHashes,
        EraseRemoteData,
        EraseRemoteOperations,
        EraseMessages,
        EraseSettings,
        EraseSettingNames,
        EraseJournals,
    ];

    /// <summary>Erases everything else. Does not commit; the file still holds it until it has been written anew.</summary>
    internal static void Run(DatabaseSession session)
    {
        foreach (var statement in s_statements)
            session.Run(statement);
        Rename(session, VolumeNames, SetVolumeName);
        Rename(session, RemotePaths, SetRemotePath);
        ExecuteAll(session, Unknown);
        ExecuteAll(session, StrangeTexts);
    }

    // Runs the statements that another one writes.
    private static void ExecuteAll(DatabaseSession session, string writer)
    {
        List<string> statements;
        using (var rows = session.Take(writer))
            statements = rows.ReadAll(static row => row.GetString(0)!);

        foreach (var statement in statements)
            session.Execute(statement);
    }

    private static void Rename(DatabaseSession session, string select, string update)
    {
        List<(long Id, string Name)> names;
        using (var rows = session.Take(select))
            names = rows.ReadAll(static row => (row.GetInt64(0), row.GetString(1) ?? ""));

        using var set = session.Take(update);
        foreach (var (id, name) in names)
            set.Bind(1, id).Bind(2, WithoutPrefix(id, name)).ExecuteNonQuery();
    }

    private static string WithoutPrefix(long id, string name) =>
        VolumeName().Match(name) is { Success: true } known
            ? "duplicati-" + known.Groups[1].Value
            : Erased + id.ToString(CultureInfo.InvariantCulture);

    [GeneratedRegex(
        "-((?:[bi][0-9a-f]{32}\\.d(?:block|index)|[0-9]{8}T[0-9]{6}Z\\.dlist)(?:\\.(?:zip|7z|tgz|tzstd))?(?:\\.(?:aes|gpg))?)\\z"
    )]
    private static partial Regex VolumeName();
}
