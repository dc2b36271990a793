// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Reliability;

/// <summary>Two backups of one database at once, in core's order of calls, again and again.</summary>
[TestFixture]
internal sealed class TwoBackupsAtOnceTests
{
    [TestCase(2, 15)]
    [TestCase(3, 400, Explicit = true, Category = LongRun.Category)]
    public async Task Each_works_on_what_the_other_has_committed_or_fails_and_the_next_one_succeeds(int atOnce, int rounds)
    {
        var seed = LongRun.Seed();
        using var folder = new TestFolder();
        var path = folder.File("backup.sqlite");
        var remote = new ConcurrentDictionary<string, string[]>(StringComparer.Ordinal);
        await new CoreBackup(path, remote, new Random(seed)).RunAsync(default);
        var good = 0;
        var errors = new SortedDictionary<string, int>(StringComparer.Ordinal);
        for (var round = 0; round < rounds; round++)
        {
            var backups = Enumerable
                .Range(1, atOnce)
                .Select(x => new CoreBackup(path, remote, new Random(seed + (round * 100) + x)))
                .ToList();
            foreach (var error in await Task.WhenAll(backups.Select(x => Task.Run(() => TryAsync(x)))))
            {
                good += error is null ? 1 : 0;
                if (error is not null)
                    errors[error] = errors.GetValueOrDefault(error) + 1;
            }

            // Whatever the others have left.
            await new CoreBackup(path, remote, new Random(seed - round)).RunAsync(default);
            await AssertWholeAsync(path, remote, $"round {round}");
        }

        TestContext.Out.WriteLine($"{good} good; failed: {string.Join(", ", errors.Select(x => $"{x.Value} {x.Key}"))}");
        // Both of a round may be refused: each by what the other has committed before it was refused itself.
        Assert.That(good, Is.Positive);
    }

    private static async Task<string?> TryAsync(CoreBackup backup)
    {
        try
        {
            await backup.RunAsync(default);
            return null;
        }
        catch (SqliteException ex)
        {
            return $"code {ex.SqliteErrorCode}, {ex.SqliteExtendedErrorCode}";
        }
        catch (UserInformationException ex)
        {
            return ex.HelpID;
        }
    }

    private static async Task AssertWholeAsync(string path, ConcurrentDictionary<string, string[]> remote, string when)
    {
        await using (var db = await LocalDatabase.CreateLocalDatabaseAsync(path, "List", true, null, default))
            await db.VerifyConsistencyAsync(CoreBackup.Blocksize, CoreBackup.HashBytes, true, default);
        using var connection = Databases.Open(path);
        Assert.That(connection.Scalar("""SELECT group_concat(DISTINCT "State") FROM "Remotevolume" """), Is.EqualTo("Verified"), when);
        Assert.That(
            connection.Scalar("""SELECT group_concat("Name", ' ') FROM (SELECT "Name" FROM "Remotevolume" ORDER BY "Name")""")!.Split(' '),
            Is.EqualTo(remote.Keys.Order(StringComparer.Ordinal)),
            when
        );
        var stored = remote.Values.SelectMany(x => x).ToList();
        Assert.That(stored, Is.Unique, $"{when}: nothing is uploaded twice");
        var blocks = SampleDatabase.Rows(
            path,
            """SELECT "Block"."Hash" || ' ' || "Name" FROM "Block" JOIN "Remotevolume" ON "Remotevolume"."ID" = "VolumeID" """
        );
        Assert.That(
            blocks,
            Is.EqualTo(remote.SelectMany(x => x.Value.Select(hash => $"{hash} {x.Key}")).Order(StringComparer.Ordinal)),
            $"{when}: each block is where the database says"
        );
        Assert.That(connection.Scalar("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo($"{blocks.Length}"), when);
    }
}
