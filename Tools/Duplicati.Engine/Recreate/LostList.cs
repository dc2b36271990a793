using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Recreate;

/// <summary>
/// A list of blocks that is in the damaged part of its volume. As long as its block is known, a file that needs it does not count as broken,
/// although some of its blocks are not known: the database would be inconsistent, and nothing could be purged.
/// </summary>
internal static class LostList
{
    /// <summary>Forgets that a volume holds the block of the list. Does not commit.</summary>
    internal static void Forget(LocalDatabase database, string hash, long volume)
    {
        foreach (var sql in (string[])[LostListSql.MOVE, LostListSql.SETTLE, LostListSql.FORGET])
        {
            using var command = database.Connection.CreateCommand();
            command.CommandText = sql;
            command.Parameters.AddWithValue("$hash", hash);
            command.Parameters.AddWithValue("$volume", volume);
            command.ExecuteNonQuery();
        }
    }
}
