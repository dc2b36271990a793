// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper;

namespace Duplicati.UnitTest.SQLiteHelper.Migrations;

[TestFixture]
public sealed class SqlPreprocessorTests
{
    private static readonly Dictionary<string, IComparable> s_variables = new(StringComparer.OrdinalIgnoreCase)
    {
        ["sqlite_version"] = new Version(3, 8, 2),
        ["db_version"] = 5,
        ["name"] = "abc",
    };

    [TestCase("SELECT 1", "SELECT 1")]
    [TestCase("a{#if db_version >= 5}b{#endif}c", "abc")]
    [TestCase("a{#if db_version > 5}b{#endif}c", "ac")]
    [TestCase("a{#if db_version > 5}b{#else}d{#endif}c", "adc")]
    [TestCase("a{#if db_version = 5}b{#else}d{#endif}c", "abc")]
    [TestCase("{#IF DB_Version==5}b{#ELSE}d{#EndIf}", "b")]
    [TestCase("{#if   db_version   !=   5  }b{#else}d{#endif}", "d")]
    [TestCase("{#if db_version<6}x{#endif}{#if db_version<=4}y{#endif}{#if db_version < 5}z{#endif}", "x")]
    [TestCase("{#if sqlite_version >= 3.8.2} WITHOUT ROWID {#endif}", " WITHOUT ROWID ")]
    [TestCase("{#if sqlite_version >= 3.35.5}yes{#else}no{#endif}", "no")]
    [TestCase("{#if sqlite_version > 3.8}yes{#else}no{#endif}", "yes")]
    [TestCase("{#if name = abc}yes{#else}no{#endif}", "yes")]
    [TestCase("{#if db_version = 5}\nCREATE TABLE a (b);\nCREATE TABLE c (d);\n{#endif}", "\nCREATE TABLE a (b);\nCREATE TABLE c (d);\n")]
    [TestCase("{#if db_version = 5}a{#if_1 name = abc}b{#else_1}c{#endif_1}d{#else}e{#endif}", "abd")]
    [TestCase("{#if_2 db_version = 5}a{#if name = x}b{#else}c{#endif}d{#else_2}e{#endif_2}", "acd")]
    [TestCase("{#if_ db_version = 4}a{#else_}{#if name = abc}b{#endif}{#endif_}", "b")]
    [TestCase("{#if db_version = 5}a{#if name = abc}b{#endif}c{#endif}d", "abcd")]
    [TestCase("{ #if} {#ifx db_version = 5} {#other}", "{ #if} {#ifx db_version = 5} {#other}")]
    [Contract("A 3.3 step 4")]
    [Contract("A 3.4 directives")]
    public void Block_is_replaced_by_the_chosen_part(string sql, string expected) =>
        Assert.That(DatabaseUpgrader.PreparseSQL(sql, s_variables), Is.EqualTo(expected));

    [Test]
    public void Part_that_is_not_chosen_is_not_looked_at() =>
        Assert.That(
            DatabaseUpgrader.PreparseSQL("{#if db_version = 4}{#if_1 nonsense}{#endif_1}{#else}ok{#endif}", s_variables),
            Is.EqualTo("ok")
        );

    [TestCase("{#if}a{#endif}")]
    [TestCase("{#if db_version}a{#endif}")]
    [TestCase("{#if db_version 5}a{#endif}")]
    [TestCase("{#if db_version >}a{#endif}")]
    [TestCase("{#if > 5}a{#endif}")]
    [TestCase("{#if db_version = 5}a")]
    [TestCase("{#if_1 db_version = 5}a{#endif}")]
    [Contract("A 3.4 errors")]
    public void Malformed_block_is_an_argument_error(string sql) =>
        Assert.That(() => DatabaseUpgrader.PreparseSQL(sql, s_variables), Throws.TypeOf<ArgumentException>());

    [Test]
    public void Unknown_variable_is_told() =>
        Assert.That(() => DatabaseUpgrader.PreparseSQL("{#if unknown = 5}a{#endif}", s_variables), Throws.TypeOf<KeyNotFoundException>());

    [TestCase("{#if db_version = five}a{#endif}")]
    [TestCase("{#if db_version = 99999999999}a{#endif}")]
    [TestCase("{#if sqlite_version = three}a{#endif}")]
    public void Literal_of_another_type_is_a_format_error_with_its_cause(string sql) =>
        Assert.That(() => DatabaseUpgrader.PreparseSQL(sql, s_variables), Throws.TypeOf<FormatException>().With.InnerException.Not.Null);
}
