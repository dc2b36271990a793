// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Find;

/// <summary>Looks up what a search begins with, and tells what it is; what uses it is read by whoever enumerates it.</summary>
internal sealed class FindStart(SqliteConnection connection, KnownNames names, BlockUses uses)
{
    /// <summary>BlockHashSize.</summary>
    internal const string BLOCKS = """SELECT "ID", "Hash", "Size", "VolumeID" FROM "Block" WHERE "Hash" = $hash""";

    /// <summary>UniqueBlockVolumeDuplicateBlock.</summary>
    internal const string COPIES = """SELECT "VolumeID" FROM "DuplicateBlock" WHERE "BlockID" = $block""";

    /// <summary>DeletedBlockHashSize.</summary>
    internal const string DELETED = """SELECT "ID", "Hash", "Size", "VolumeID" FROM "DeletedBlock" WHERE "Hash" = $hash""";

    /// <summary>BlocksetFullHash.</summary>
    internal const string CONTENTS = """SELECT "ID", "FullHash", "Length" FROM "Blockset" WHERE "FullHash" = $hash""";

    /// <summary>Row id.</summary>
    internal const string CONTENT = """SELECT "ID", "FullHash", "Length" FROM "Blockset" WHERE "ID" = $content""";

    /// <summary>RemotevolumeNameOnly.</summary>
    internal const string VOLUME = """
        SELECT "ID", "Name", "Type", "State", NULLIF("Size", -1), "Hash" FROM "Remotevolume" WHERE "Name" = $name
        """;

    /// <summary>Scans IndexBlockLink, one row an index volume at least.</summary>
    internal const string LINKED = """
        SELECT "IndexVolumeID", "BlockVolumeID" FROM "IndexBlockLink" WHERE "IndexVolumeID" = $volume OR "BlockVolumeID" = $volume
        """;

    /// <summary>PathPrefixPrefix, FileLookupPath; Metadataset by row id.</summary>
    internal const string FILES = """
        SELECT "FileLookup"."ID", "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."BlocksetID", "Metadataset"."BlocksetID"
        FROM "PathPrefix"
        CROSS JOIN "FileLookup" ON "FileLookup"."PrefixID" = "PathPrefix"."ID" AND "FileLookup"."Path" = $name
        LEFT JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        WHERE "PathPrefix"."Prefix" = $prefix
        """;

    private static readonly FindReport s_nothing = new([], null, []);

    /// <summary>What the request names, and what uses it.</summary>
    /// <exception cref="UserInformationException">Help ids <c>BlockNotInDatabase</c>, <c>ContentNotInDatabase</c>,
    /// <c>VolumeNotInDatabase</c>, <c>PathNotInDatabase</c>, <c>InvalidVersion</c>.</exception>
    internal (FindReport Report, IEnumerable<FoundUse> Uses) Find(FindRequest request) =>
        request switch
        {
            { Block: { } hash } => Block(hash),
            { FileHash: { } hash } => Content(hash),
            { Volume: { } name } => Volume(name),
            { Path: { } path } => Path(path),
            _ => Version(request.Version ?? 0),
        };

    private (FindReport, IEnumerable<FoundUse>) Block(string hash)
    {
        var live = Rows(BLOCKS, Key, ("$hash", hash));
        var places = live.ConvertAll(x => Place(x, BlockPlace.Live));
        foreach (var block in live)
            places.AddRange(
                Rows(COPIES, row => row.GetInt64(0), ("$block", block.Id)).Select(x => Place(block with { Volume = x }, BlockPlace.Copy))
            );
        places.AddRange(Rows(DELETED, Key, ("$hash", hash)).Select(x => Place(x, BlockPlace.Deleted)));
        if (places.Count == 0)
            throw new UserInformationException(
                $"The database knows no block with the hash {hash}; give it as the database has it, in Base64.",
                "BlockNotInDatabase"
            );
        return (s_nothing with { Blocks = places }, live.SelectMany(x => uses.Of(x).Concat(uses.ListsOf(x))));
    }

    private (FindReport, IEnumerable<FoundUse>) Content(string hash)
    {
        var contents = Rows(CONTENTS, Known, ("$hash", hash));
        if (contents.Count == 0)
            throw new UserInformationException(
                $"The database knows no file with the hash {hash}; give that of the whole file as the database has it, in Base64.",
                "ContentNotInDatabase"
            );
        return (s_nothing with { Contents = contents.ConvertAll(x => x.Content) }, contents.SelectMany(x => uses.OfContent(x.Id)));
    }

    private (FindReport, IEnumerable<FoundUse>) Volume(string name)
    {
        var found = Rows(
            VOLUME,
            row =>
                (
                    Id: row.GetInt64(0),
                    Volume: new FoundVolume(
                        row.GetString(1),
                        row.GetString(2),
                        row.GetString(3),
                        row.NumberOrNull(4),
                        row.TextOrNull(5),
                        null,
                        null,
                        []
                    )
                ),
            ("$name", name)
        );
        if (found is not [var (id, volume)])
            throw new UserInformationException(
                $"The database knows no volume {name}; \"duplicati-db volumes\" lists those it knows.",
                "VolumeNotInDatabase"
            );

        var version = names.Versions.Select((x, number) => (x, number)).FirstOrDefault(x => x.x.VolumeId == id, (null!, -1));
        if (version.number >= 0)
            return (
                s_nothing with
                {
                    Volume = volume with { Version = version.number, VersionTime = version.x.Time },
                },
                uses.OfVersion(version.x.Id)
            );
        var linked = Rows(LINKED, row => row.GetInt64(0) == id ? row.GetInt64(1) : row.GetInt64(0), ("$volume", id));
        return (
            s_nothing with
            {
                Volume = volume with
                {
                    Linked = [.. linked.Select(names.Volume).OfType<string>().Distinct().Order(StringComparer.Ordinal)],
                },
            },
            uses.In(id).Concat(uses.ListsIn(id))
        );
    }

    private (FindReport, IEnumerable<FoundUse>) Version(long number)
    {
        if (number < 0 || number >= names.Versions.Count)
            throw new UserInformationException(
                $"There is no version {number}; \"duplicati-db list\" shows those there are.",
                "InvalidVersion"
            );
        var version = names.Versions[(int)number];
        // One whose list was lost has none.
        return names.Volume(version.VolumeId) is { } name ? Volume(name) : (s_nothing, uses.OfVersion(version.Id));
    }

    private (FindReport, IEnumerable<FoundUse>) Path(string path)
    {
        var files = Splits(path)
            .Distinct()
            .SelectMany(x =>
                Rows(
                    FILES,
                    row => new FoundFile(row.GetInt64(0), row.GetString(1), row.GetInt64(2), row.NumberOrNull(3)),
                    ("$prefix", x.Key),
                    ("$name", x.Value)
                )
            )
            .ToList();
        if (files.Count == 0)
            throw new UserInformationException(
                $"No version has '{path}'; give the whole path as it was backed up, or look for it with \"duplicati-db search\".",
                "PathNotInDatabase"
            );
        var contents = files.SelectMany(x => Rows(CONTENT, Known, ("$content", x.Content))).Select(x => x.Content).Distinct();
        return (s_nothing with { Contents = [.. contents] }, files.SelectMany(uses.OfFile));
    }

    // A folder ends with a separator; a database that was recreated elsewhere than on Windows does not split the paths of Windows.
    private static IEnumerable<KeyValuePair<string, string>> Splits(string path) =>
        from name in new[] { path, path + '/', path + '\\' }
        from split in new[] { LocalDatabase.SplitIntoPrefixAndName(name), KeyValuePair.Create("", name) }
        select split;

    private FoundBlock Place(FoundKey block, BlockPlace place) =>
        new(block.Hash, block.Size, names.Volume(block.Volume), names.State(block.Volume), place);

    private static FoundKey Key(SqliteDataReader row) => new(row.GetInt64(0), row.GetString(1), row.GetInt64(2), row.GetInt64(3));

    private static (long Id, FoundContent Content) Known(SqliteDataReader row) =>
        (row.GetInt64(0), new FoundContent(row.GetString(1), row.GetInt64(2)));

    private List<T> Rows<T>(string sql, Func<SqliteDataReader, T> read, params (string, object)[] parameters) =>
        [.. DumpQuery.Rows(connection, sql, read, parameters)];
}
