// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Library.Interface;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Access;

/// <summary>Databases that a recreate was interrupted in: how to know them, that nothing else may use them, and their end.</summary>
internal static class UnfinishedRecreate
{
    /// <summary>The primary key's index.</summary>
    internal const string READ = """SELECT "Value" FROM "Configuration" WHERE "Key" = $key""";

    /// <summary>The table of volumes, a row each, and one or two rows by the primary key's index: the mark of lost blocks.</summary>
    private const string END = """
        BEGIN IMMEDIATE;
        DROP TABLE IF EXISTS "RecreateVolume";
        DELETE FROM "Configuration" WHERE "Key" = $key;
        INSERT OR REPLACE INTO "Configuration" ("Key", "Value") SELECT $lost, 'true' WHERE $broken;
        COMMIT
        """;

    /// <summary>Fails if a database is being recreated and that has not come to its end.</summary>
    /// <param name="connection">The database.</param>
    /// <param name="path">What it is called.</param>
    /// <exception cref="UserInformationException">Help id <c>DatabaseIsUnfinished</c>.</exception>
    internal static void Refuse(SqliteConnection connection, string path)
    {
        if (Read(connection) is not null)
            throw Error(path);
    }

    /// <summary>The same for a file. Nothing is known about one that cannot be read.</summary>
    internal static void Refuse(string path)
    {
        if (Is(path))
            throw Error(path);
    }

    private static UserInformationException Error(string path) =>
        new(
            $"The database {path} is not whole: the recreate that makes it was interrupted, or is still at work. {Advice.ContinueRecreate()}",
            "DatabaseIsUnfinished"
        );

    /// <summary>Whether a file is a database that a recreate was interrupted in, or is at work on.</summary>
    internal static bool Is(string path) => Read(path) is not null;

    /// <summary>How far the recreate of a database has come.</summary>
    /// <returns>Null if it is none; an empty mark if it cannot be gone on with.</returns>
    internal static RecreateMark? Read(string path) => File.Exists(path) ? PlainConnection.TryRead(path, Read) : null;

    /// <summary>The same of an open database.</summary>
    internal static RecreateMark? Read(SqliteConnection connection) =>
        DumpQuery.Rows(connection, READ, x => x.GetString(0), ("$key", RecreateMark.Key)).FirstOrDefault() is { } text
            ? RecreateMark.Parse(text) ?? new RecreateMark()
            : null;

    /// <summary>The recreate is finished: the database becomes one as any other.</summary>
    /// <exception cref="SqliteException">The file is in use, or cannot be written.</exception>
    /// <param name="path">The file.</param>
    /// <param name="isBroken">Whether blocks that versions need are in no volume.</param>
    internal static void End(string path, bool isBroken)
    {
        using var connection = PlainConnection.Open(path, SqliteOpenMode.ReadWrite);
        DumpQuery.Execute(connection, END, ("$key", RecreateMark.Key), ("$lost", LostBlocksMark.KEY), ("$broken", isBroken));
    }
}
