// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Engine.Data;
using Duplicati.Engine.Dump;
using Duplicati.Library.SQLiteHelper;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Golden;

/// <summary>
/// A source tree of the golden backups, unpacked with owners, modes and attributes. The recorded backups were made of <c>/data/tree1</c>;
/// here the tree lies in a test's own folder, and databases are moved there and back by their path prefixes.
/// </summary>
/// <remarks>
/// One file has a change in the future, and therefore the time of its unpacking as its creation in its metadata, which nobody can
/// bring back. Its metadata is exchanged with the paths.
/// </remarks>
internal sealed class GoldenSource
{
    private const string Data = "/data/";
    private const string FutureFile = "times/y2100";

    private readonly string m_root;

    private GoldenSource(string root, string path)
    {
        m_root = root;
        Path = path;
    }

    /// <summary>The unpacked tree.</summary>
    internal string Path { get; }

    /// <summary>Unpacks a version of a tree; the running test is skipped where that cannot be done faithfully.</summary>
    /// <param name="folder">Where to.</param>
    /// <param name="archive">Name of the archive, such as <c>tree1</c>.</param>
    /// <param name="tree">Name of the folder that the backup was made of.</param>
    /// <param name="version">Such as <c>v5</c>.</param>
    internal static GoldenSource Unpack(TestFolder folder, string archive, string tree, string version)
    {
        var packed = System.IO.Path.Combine(GoldenData.Root, "sources", archive + ".tar.gz");
        if (!OperatingSystem.IsLinux() || Environment.UserName != "root")
            Assert.Ignore("Owners and modes of the source tree can only be brought back by root on Linux");
        var root = folder.File("root");
        var data = Directory.CreateDirectory(root + Data).FullName;
        var start = new ProcessStartInfo("tar", ["--xattrs", "--xattrs-include=user.*", "-xpf", packed, "-C", data, version]);
        var (exitCode, _, errors) = ChildProcess.Run(start);
        if (exitCode != 0)
            Assert.Ignore($"tar cannot unpack the source tree: {errors}");

        var path = System.IO.Path.Combine(data, tree);
        Directory.Move(System.IO.Path.Combine(data, version), path);
        if (!new MetadataReader().Read(System.IO.Path.Combine(path, "modes", "xattr-small")).ExtendedAttributes.Any())
            Assert.Ignore("The file system of temporary files keeps no extended attributes");
        return new GoldenSource(root, path);
    }

    /// <summary>Moves the paths of a database only: its metadata stay those that its volumes hold.</summary>
    internal void MovePaths(string database)
    {
        using var connection = SQLiteLoader.LoadConnection(database);
        MovePaths(connection, Data, m_root + Data);
    }

    /// <summary>Makes a database one of this tree.</summary>
    /// <param name="database">The database file.</param>
    /// <param name="expected">What the real program had afterwards.</param>
    internal void MoveHere(string database, DatabaseDump expected) => Move(database, Data, m_root + Data, expected, toHere: true);

    /// <summary>Makes a database one of the recorded tree again.</summary>
    internal void MoveBack(string database, DatabaseDump expected) => Move(database, m_root + Data, Data, expected, toHere: false);

    private void Move(string database, string from, string to, DatabaseDump expected, bool toHere)
    {
        using var connection = SQLiteLoader.LoadConnection(database);
        using var transaction = connection.BeginTransaction();
        MovePaths(connection, from, to);
        if (FutureMetadata(expected) is var (recorded, present))
        {
            var (old, other) = toHere ? (recorded, present) : (present, recorded);
            Execute(connection, """UPDATE "Block" SET "Hash" = @to WHERE "Hash" = @from""", old, other);
            Execute(connection, """UPDATE "Blockset" SET "FullHash" = @to WHERE "FullHash" = @from""", old, other);
        }

        transaction.Commit();
    }

    private (string Recorded, string Present)? FutureMetadata(DatabaseDump expected)
    {
        var file = System.IO.Path.Combine(Path, FutureFile);
        var recorded = expected
            .Filesets.Last()
            .Entries.FirstOrDefault(x => x.Path.EndsWith("/" + FutureFile, StringComparison.Ordinal))
            ?.MetadataHash;
        return recorded is null || !File.Exists(file)
            ? null
            : (recorded, Convert.ToBase64String(System.Security.Cryptography.SHA256.HashData(new MetadataReader().Read(file).ToBytes())));
    }

    private static void MovePaths(SqliteConnection connection, string from, string to) =>
        Execute(
            connection,
            """UPDATE "PathPrefix" SET "Prefix" = @to || substr("Prefix", length(@from) + 1) WHERE substr("Prefix", 1, length(@from)) = @from""",
            from,
            to
        );

    private static void Execute(SqliteConnection connection, string sql, string from, string to)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        command.Parameters.AddWithValue("@from", from);
        command.Parameters.AddWithValue("@to", to);
        command.ExecuteNonQuery();
    }
}
