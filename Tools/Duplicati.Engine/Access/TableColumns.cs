// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using Duplicati.Engine.Dump;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Access;

/// <summary>
/// The columns of a table, and how its rows are stored. Format: https://www.sqlite.org/fileformat2.html#record_format. A record is taken
/// for a row of the table only if every value can be one of its column.
/// </summary>
internal sealed class TableColumns
{
    /// <summary>Reads the schema, one row a column.</summary>
    private const string COLUMNS = """
        SELECT "Column"."name", upper("Column"."type"), "Column"."notnull", "Column"."dflt_value", "Column"."pk"
        FROM "sqlite_master" AS "Object" CROSS JOIN pragma_table_info("Object"."name") AS "Column"
        WHERE "Object"."type" = 'table'
        ORDER BY "Column"."cid"
        """;

    private static readonly UTF8Encoding s_text = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    private readonly List<Column> m_columns;

    private TableColumns(List<Column> columns) => m_columns = columns;

    /// <summary>The columns of the table of the schema itself.</summary>
    internal static TableColumns OfSchema { get; } =
        new([
            new("type", "TEXT", true, null, false),
            new("name", "TEXT", true, null, false),
            new("tbl_name", "TEXT", true, null, false),
            new("rootpage", "INT", true, null, false),
            new("sql", "TEXT", false, null, false),
        ]);

    /// <summary>The columns that a statement makes.</summary>
    /// <returns>Null if it makes no table.</returns>
    internal static TableColumns? Of(string definition)
    {
        try
        {
            using var connection = new SqliteConnection("Data Source=:memory:");
            connection.Open();
            DumpQuery.Execute(connection, definition);
            return new TableColumns([
                .. DumpQuery.Rows(
                    connection,
                    COLUMNS,
                    x => new Column(
                        x.GetString(0),
                        x.GetString(1),
                        x.GetBoolean(2),
                        x.TextOrNull(3),
                        x.GetInt64(4) == 1 && x.GetString(1) == "INTEGER"
                    )
                ),
            ]);
        }
        catch (SqliteException)
        {
            return null;
        }
    }

    /// <summary>Whether the beginning of a record, with the types of its values, can be that of a row.</summary>
    internal bool Fits(ReadOnlySpan<byte> record, long length) => Types(record, length) is not null;

    /// <summary>The values of a row by their names; null if the record cannot be one.</summary>
    /// <param name="id">The id of the row.</param>
    /// <param name="record">The whole record.</param>
    internal Dictionary<string, object?>? Read(long id, ReadOnlySpan<byte> record)
    {
        if (Types(record, record.Length) is not { } types)
            return null;
        var row = new Dictionary<string, object?>(StringComparer.OrdinalIgnoreCase);
        var position = (int)TreePage.Varint(record, 0).Value;
        for (var i = 0; i < m_columns.Count; i++)
        {
            var column = m_columns[i];
            // A column that was added later is not in older rows.
            if (i >= types.Count)
            {
                if (column is { IsRequired: true, Default: null })
                    return null;
                row[column.Name] = long.TryParse(column.Default, NumberStyles.None, CultureInfo.InvariantCulture, out var number)
                    ? number
                    : column.Default?.Trim('\'');
                continue;
            }

            var size = (int)SizeOf(types[i]);
            if (!TryRead(types[i], record.Slice(position, size), out var value))
                return null;
            row[column.Name] = column.IsId ? id : value;
            position += size;
        }

        return row;
    }

    private List<long>? Types(ReadOnlySpan<byte> record, long length)
    {
        var (end, position) = TreePage.Varint(record, 0);
        if (end < position || end > record.Length)
            return null;
        var (types, total) = (new List<long>(), end);
        while (position < end)
        {
            var (type, bytes) = TreePage.Varint(record, position);
            if (types.Count == m_columns.Count || !m_columns[types.Count].Takes(type))
                return null;
            types.Add(type);
            total += SizeOf(type);
            position += bytes;
        }

        return position == end && total == length && types.Count > 0 ? types : null;
    }

    private static long SizeOf(long type) =>
        type switch
        {
            <= 4 => type,
            5 => 6,
            6 or 7 => 8,
            < 12 => 0,
            _ => (type - 12) / 2,
        };

    private static bool TryRead(long type, ReadOnlySpan<byte> bytes, out object? value)
    {
        value = type switch
        {
            0 => null,
            < 7 => Number(bytes),
            7 => BinaryPrimitives.ReadDoubleBigEndian(bytes),
            8 => 0L,
            9 => 1L,
            _ when type % 2 == 0 => bytes.ToArray(),
            _ => Text(bytes),
        };
        return type is 0 || value is not null;
    }

    private static long Number(ReadOnlySpan<byte> bytes)
    {
        var value = bytes[0] >= 0x80 ? -1L : 0;
        foreach (var part in bytes)
            value = (value << 8) | part;
        return value;
    }

    // What was overwritten with zeros is a text to SQLite.
    private static string? Text(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Contains((byte)0))
            return null;
        try
        {
            return s_text.GetString(bytes);
        }
        catch (DecoderFallbackException)
        {
            return null;
        }
    }

    private sealed record Column(string Name, string Type, bool IsRequired, string? Default, bool IsId)
    {
        private bool IsNumber => Type.Contains("INT", StringComparison.Ordinal);

        private bool IsText => Type.Contains("TEXT", StringComparison.Ordinal);

        // The types of values: none, integers, a floating-point number, 0 and 1, bytes, text.
        internal bool Takes(long type) =>
            type switch
            {
                < 0 or 10 or 11 => false,
                0 => IsId || !IsRequired,
                7 => !IsNumber && !IsText,
                < 10 => !IsId && !IsText,
                _ when type % 2 == 0 => !IsNumber && !IsText,
                _ => !IsNumber,
            };
    }
}
