// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;

namespace Duplicati.UnitTest.SQLiteHelper.Statements;

[TestFixture]
public class TableWatchTests
{
    private SqliteConnection m_connection = null!;

    [SetUp]
    public void SetUp()
    {
        m_connection = new SqliteConnection("Data Source=:memory:");
        m_connection.Open();
        m_connection.Execute("CREATE TABLE A (X INTEGER); CREATE TABLE AB (X INTEGER);");
    }

    [TearDown]
    public void TearDown() => m_connection.Dispose();

    [Test]
    public void Every_changed_row_of_the_named_table_counts_and_of_no_other()
    {
        var a = TableWatch.Of(m_connection).Table("A");
        var ab = TableWatch.Of(m_connection).Table("AB");
        m_connection.Execute(
            "INSERT INTO A VALUES (1), (2), (3); UPDATE A SET X = 9 WHERE X > 1; DELETE FROM A WHERE X = 1; INSERT INTO AB VALUES (1)"
        );
        Assert.That((a.Count, ab.Count), Is.EqualTo((6L, 1L)));
    }

    [Test]
    public void A_connection_has_one_watch_and_a_table_one_counter()
    {
        var first = TableWatch.Of(m_connection);
        var counter = first.Table("A");
        Assert.That(TableWatch.Of(m_connection), Is.SameAs(first));
        Assert.That(TableWatch.Of(m_connection).Table("A"), Is.SameAs(counter));
    }

    [Test]
    public void A_counter_outlives_its_connection()
    {
        var a = TableWatch.Of(m_connection).Table("A");
        m_connection.Execute("INSERT INTO A VALUES (1)");
        m_connection.Close();
        Assert.That(a.Count, Is.EqualTo(1));

        m_connection.Open();
        Assert.That(TableWatch.Of(m_connection).Table("A"), Is.Not.SameAs(a));
    }

    [Test]
    public void A_closed_connection_cannot_be_watched()
    {
        m_connection.Close();
        Assert.That(() => TableWatch.Of(m_connection), Throws.InvalidOperationException);
    }
}
