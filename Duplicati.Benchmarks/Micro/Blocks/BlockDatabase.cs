using System.Text;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>Databases with so many blocks, and the hashes of these and of more blocks as strings.</summary>
internal static class BlockDatabase
{
    private static string[] s_hashes = [];

    /// <summary>At least so many hashes; the first ones are those in the database.</summary>
    public static string[] Hashes(int count)
    {
        if (s_hashes.Length >= count)
            return s_hashes;

        var keys = BlockKeys.Get(count);
        var hashes = new string[count];
        for (var i = 0; i < count; i++)
            hashes[i] = Encoding.ASCII.GetString(keys.Text(i));
        return s_hashes = hashes;
    }

    /// <summary>A database with the whole schema and so many blocks.</summary>
    public static string Template(int rows) => DatabaseTemplates.Get($"backup with {rows} blocks", path =>
    {
        using var database = LocalBackupDatabase.CreateAsync(path, new Options([]), default).GetAwaiter().GetResult();
        var hashes = Hashes(rows);
        for (var i = 0; i < rows; i++)
            database.AddBlockAsync(hashes[i], BlockKeys.Size(i), i / 500, default).GetAwaiter().GetResult();
        database.CommitAsync(default).GetAwaiter().GetResult();
    });
}
