// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>
/// Finds what file lists say and volumes contradict: contents of a length that their lists of blocks do not have, and blocks of another
/// size than the one with this hash has. Such entries go out of their filesets, so that nobody looks through all volumes for blocks that
/// cannot be there.
/// </summary>
/// <remarks>Call with the connection lock held. Reads Block where blocks are missing, and all entries where anything was found.</remarks>
internal sealed class ImpossibleBlocksets
{
    // Block_IndexByVolumeId and BlockHashVolumeID, or Block in full twice while these are deferred; a set of the hashes of missing blocks.
    private const string BlocksOfOtherSize = """
        SELECT b."ID" FROM "Block" b
        WHERE b."VolumeID" < 0 AND b."Hash" IN (
            SELECT o."Hash" FROM "Block" o WHERE o."VolumeID" >= 0 AND o."Hash" IN (SELECT m."Hash" FROM "Block" m WHERE m."VolumeID" < 0))
        """;

    // BlocksetEntry_IndexIdsBackwards, or BlocksetEntry in full while that is deferred; ?1 = a list of ids as JSON.
    private const string BlocksetsOfBlocks = """
        SELECT DISTINCT "BlocksetID" FROM "BlocksetEntry" WHERE "BlockID" IN (SELECT "value" FROM json_each(?1))
        """;

    // FileLookup in full, or its indexes; ?1 = a list of ids as JSON, ?2 = most rows.
    private const string Paths =
        """
            SELECT p."Prefix" || f."Path" FROM "FileLookup" f JOIN "PathPrefix" p ON p."ID" = f."PrefixID"
            WHERE f."ID" IN (
            """
        + Files
        + """
            ) ORDER BY 1 LIMIT ?2
            """;

    // FilesetEntry in full, or FilesetentryFileIdIndex.
    private const string DeleteEntries = """DELETE FROM "FilesetEntry" WHERE "FileID" IN (""" + Files + ")";

    // BlocklistHashBlocksetIDIndex.
    private const string DeleteLists = """DELETE FROM "BlocklistHash" WHERE "BlocksetID" IN (SELECT "value" FROM json_each(?1))""";

    // Row id. No volume has the id 0, so that they go with the lost blocks.
    private const string GiveUpBlocks = """UPDATE "Block" SET "VolumeID" = 0 WHERE "ID" IN (SELECT "value" FROM json_each(?1))""";

    // FileLookup in full, or its indexes; ?1 = a list of blocksets as JSON.
    private const string Files = """
        SELECT l."ID" FROM "FileLookup" l
        WHERE l."BlocksetID" IN (SELECT "value" FROM json_each(?1))
            OR l."MetadataID" IN (SELECT m."ID" FROM "Metadataset" m WHERE m."BlocksetID" IN (SELECT "value" FROM json_each(?1)))
        """;

    private readonly DatabaseSession m_session;
    private readonly BlocklistResolver m_resolver;

    internal ImpossibleBlocksets(DatabaseSession session, BlocklistResolver resolver)
    {
        m_session = session;
        m_resolver = resolver;
    }

    /// <summary>Takes them out. To be called when everything that is known is resolved.</summary>
    /// <param name="most">Number of paths that are wanted.</param>
    /// <returns>Number of entries taken out, and the paths of the first.</returns>
    internal (long Count, IReadOnlyList<string> First) Refuse(int most)
    {
        var wrongLists = m_resolver.WithImpossibleLists().Distinct().ToList();
        var wrongBlocks = ListIds(BlocksOfOtherSize);
        if (wrongLists.Count + wrongBlocks.Count == 0)
            return (0, []);

        m_session.BeginWriting();
        var blocksets = Json(wrongLists.Concat(wrongBlocks.Count == 0 ? [] : ListIds(BlocksetsOfBlocks, Json(wrongBlocks))));
        List<string> first;
        using (var paths = m_session.Take(Paths))
            first = paths.Bind(1, blocksets).Bind(2, most).ReadAll(static row => row.GetString(0)!);

        using var entries = m_session.Take(DeleteEntries);
        var count = entries.Bind(1, blocksets).ExecuteNonQuery();
        using (var lists = m_session.Take(DeleteLists))
            lists.Bind(1, Json(wrongLists)).ExecuteNonQuery();
        // Not deleted: a gap between the ids would look like a loss to whoever goes on after an interruption.
        using (var blocks = m_session.Take(GiveUpBlocks))
            blocks.Bind(1, Json(wrongBlocks)).ExecuteNonQuery();
        m_resolver.Restart();
        return (count, first);
    }

    private List<long> ListIds(string sql, string? json = null)
    {
        using var list = m_session.Take(sql);
        if (json is not null)
            list.Bind(1, json);
        return list.ReadAll(static row => row.GetInt64(0));
    }

    private static string Json(IEnumerable<long> ids) =>
        "[" + string.Join(',', ids.Select(x => x.ToString(CultureInfo.InvariantCulture))) + "]";
}
