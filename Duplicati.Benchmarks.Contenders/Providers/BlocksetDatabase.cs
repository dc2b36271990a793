// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Micro;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Contenders.Providers;

/// <summary>Databases with so many blocks, and with blocksets of them.</summary>
internal static class BlocksetDatabase
{
    /// <summary>Blocks of one blockset.</summary>
    public const int BlocksPerBlockset = 1000;

    /// <summary>Blocksets of full blocks in an order that has nothing to do with that of the table; the ids are from 1.</summary>
    public static string Template(int rows)
    {
        // A template of its own, which is made first.
        var blocks = BlockDatabase.Template(rows);
        return DatabaseTemplates.Get(
            $"backup with {rows} blocks and blocksets",
            path =>
            {
                File.Copy(blocks, path);
                using var database = LocalBackupDatabase.CreateAsync(path, new Options([]), default).Await();
                var hashes = new BlockQuestions(rows, new FullBlocks(rows).Index).Texts;
                for (var file = 0; file < rows / BlocksPerBlockset; file++)
                {
                    var content = new ArraySegment<string>(hashes, file * BlocksPerBlockset, BlocksPerBlockset);
                    const long Length = (long)BlocksPerBlockset * BlockDatabase.Blocksize;
                    database.AddBlocksetAsync(BlockTable.FileHash(file), Length, BlockDatabase.Blocksize, content, [], default).Await();
                }

                database.CommitAsync(default).Await();
            }
        );
    }
}
