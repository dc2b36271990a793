// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Micro;

/// <summary>
/// Blocks in the order in which they are asked about, in every form that a contender wants them in: a caller has just computed the
/// hash it asks for, so forms made in the order of the questions come close to what is in a processor's cache then.
/// </summary>
internal sealed class BlockQuestions(int count, Func<int, int> index)
{
    private string[]? m_texts;
    private byte[]? m_utf8;
    private long[]? m_sizes;

    /// <summary>Number of questions.</summary>
    public int Count => count;

    /// <summary>Hashes as strings.</summary>
    public string[] Texts =>
        m_texts ??= [.. Enumerable.Range(0, count).Select(step => Encoding.ASCII.GetString(BlockKeys.Latest.Text(index(step))))];

    /// <summary>Hashes as UTF-8 Base64, one after the other.</summary>
    public byte[] Utf8
    {
        get
        {
            if (m_utf8 is not null)
                return m_utf8;
            m_utf8 = new byte[count * BlockKeys.TextBytes];
            for (var step = 0; step < count; step++)
                BlockKeys.Latest.Text(index(step)).CopyTo(m_utf8.AsSpan(step * BlockKeys.TextBytes));
            return m_utf8;
        }
    }

    /// <summary>Sizes in bytes.</summary>
    public long[] Sizes => m_sizes ??= [.. Enumerable.Range(0, count).Select(step => BlockKeys.Size(index(step)))];
}

/// <summary>
/// The keys of full size among so many, which nine of ten are, in an order that has nothing to do with that of the table.
/// </summary>
internal sealed class FullBlocks(int rows)
{
    private readonly int m_count = rows - ((rows + 9) / 10);

    /// <summary>The number of the key for a step; each comes once in as many steps as there are.</summary>
    public int Index(int step)
    {
        var full = BlockTable.Scatter(step, m_count);
        return (full / 9 * 10) + 1 + (full % 9);
    }
}

/// <summary>Databases with so many blocks.</summary>
internal static class BlockDatabase
{
    /// <summary>Bytes of a full block.</summary>
    public const int Blocksize = 102400;

    /// <summary>A database with the whole schema and so many blocks; the ids are those of the keys plus 1.</summary>
    public static string Template(int rows) =>
        DatabaseTemplates.Get(
            $"backup with {rows} blocks",
            path =>
            {
                using var database = LocalBackupDatabase.CreateAsync(path, new Options([]), default).Await();
                _ = BlockKeys.Get(rows);
                var hashes = new BlockQuestions(rows, index => index).Texts;
                for (var i = 0; i < rows; i++)
                    database.AddBlockAsync(hashes[i], BlockKeys.Size(i), BlockTable.Volume(i), default).Await();
                // As the end of a backup does: others open the file without the layer, which would build them.
                BlockIndexes.Of(database.Session).Complete();
                database.CommitAsync(default).Await();
            }
        );
}
