using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>Databases with so many blocks, and with blocksets of them.</summary>
internal static class BlockDatabase
{
    /// <summary>Bytes of a full block.</summary>
    public const int Blocksize = 102400;

    /// <summary>Blocks of one blockset of <see cref="TemplateWithBlocksets"/>.</summary>
    public const int BlocksPerBlockset = 1000;

    private const int BlocksPerVolume = 500;

    private static string[] s_hashes = [];

    /// <summary>At least so many hashes as strings, of the keys in their order.</summary>
    public static string[] Hashes(int count)
    {
        if (s_hashes.Length >= count)
            return s_hashes;

        _ = BlockKeys.Get(count);
        return s_hashes = new BlockQuestions(count, index => index).Texts;
    }

    /// <summary>A database with the whole schema and so many blocks; the ids are those of the keys plus 1.</summary>
    public static string Template(int rows) => DatabaseTemplates.Get($"backup with {rows} blocks", path =>
    {
        using var database = Create(path, rows);
        database.CommitAsync(default).GetAwaiter().GetResult();
    });

    /// <summary>The same with blocksets of full blocks in an order that has nothing to do with that of the table; the ids are from 1.</summary>
    public static string TemplateWithBlocksets(int rows) => DatabaseTemplates.Get($"backup with {rows} blocks and blocksets", path =>
    {
        using var database = Create(path, rows);
        var batch = BatchBackup.Of(database);
        var order = new FullBlocks(rows);
        for (var file = 0; file < rows / BlocksPerBlockset; file++)
        {
            var first = file * BlocksPerBlockset;
            var ids = Enumerable.Range(first, BlocksPerBlockset).Select(step => order.Index(step) + 1L).ToArray();
            batch.Link([new BatchBlockset(BlockContender.FileDigest(file), (long)BlocksPerBlockset * Blocksize, ids)], Blocksize, new long[1], new bool[1], default);
        }
    });

    private static LocalBackupDatabase Create(string path, int rows)
    {
        var database = LocalBackupDatabase.CreateAsync(path, new Options([]), default).GetAwaiter().GetResult();
        var batch = BatchBackup.Of(database);
        var keys = BlockKeys.Get(rows);
        var (ids, isNew) = (new long[BlocksPerVolume], new bool[BlocksPerVolume]);
        for (var first = 0; first < rows; first += BlocksPerVolume)
        {
            var count = Math.Min(BlocksPerVolume, rows - first);
            var sizes = Enumerable.Range(first, count).Select(BlockKeys.Size).ToArray();
            batch.Add(keys.Raw(first, count), sizes, first / BlocksPerVolume, ids, isNew, default);
        }

        // As the end of a backup does: contenders open the file without the layer, which would build them.
        BlockIndexes.Of(database.Session).Complete();
        return database;
    }
}
