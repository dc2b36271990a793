// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.SQLiteHelper.Indexes;

/// <summary>A file that is mapped into memory is not while much of it changes, and is again afterwards.</summary>
[TestFixture]
public class FileMappingTests
{
    [TestCase("default", "67108864")]
    [TestCase("stock", "0")]
    public async Task It_is_off_until_disposed_within_a_transaction_that_writes_and_reads(string preset, string before)
    {
        using var folder = new TestFolder();
        using var use = ConnectionPreset.Use(preset);
        await using var database = await LocalDatabase.CreateLocalDatabaseAsync(folder.File("a.sqlite"), "Delete", true, null, default);
        var statements = database.Session.Statements;
        database.Session.BeginWriting();
        database.Session.Execute("""INSERT INTO "Configuration" ("Key", "Value") VALUES ('a', 'b')""");
        using (var open = statements.Prepare("""SELECT "Version" FROM "Version" """))
        {
            Assert.That(open.Read(), Is.True);
            using (FileMapping.Off(statements))
            {
                Assert.That(
                    database.Connection.Pragma("mmap_size"),
                    Is.EqualTo("0").Or.EqualTo(before),
                    "the engine may keep the pages that are being read"
                );
                using (FileMapping.Off(statements))
                    Assert.That(open.Read(), Is.False);
            }
        }

        using (FileMapping.Off(statements))
            Assert.That(database.Connection.Pragma("mmap_size"), Is.EqualTo("0"));
        Assert.That(database.Connection.Pragma("mmap_size"), Is.EqualTo(before));
        Assert.That(database.Session.ReadNumber("""SELECT COUNT(*) FROM "Configuration" """), Is.EqualTo(1));
    }
}
