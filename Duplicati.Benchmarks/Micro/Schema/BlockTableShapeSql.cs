namespace Duplicati.Benchmarks.Micro.Schema;

/// <summary>The statements for each shape of the block table, put together from the parts that differ.</summary>
internal static class BlockTableShapeSql
{
    /// <summary>The whole table.</summary>
    public const string Sum = "SELECT sum(ID * (31 + Size + VolumeID)) FROM Block";

    private const string IntegerColumns = "H1, H2, H3, H4";

    /// <summary>The table, with its index if it has one.</summary>
    public static string Create(HashForm hash, KeyForm key)
    {
        var columns = hash switch
        {
            HashForm.Text => "Hash TEXT NOT NULL",
            HashForm.Varchar44 => "Hash VARCHAR(44) NOT NULL",
            HashForm.Blob => "Hash BLOB NOT NULL",
            _ => "H1 INTEGER NOT NULL, H2 INTEGER NOT NULL, H3 INTEGER NOT NULL, H4 INTEGER NOT NULL",
        };
        var hashColumns = hash == HashForm.FourIntegers ? IntegerColumns : "Hash";
        var table = $"{columns}, Size INTEGER NOT NULL, VolumeID INTEGER NOT NULL";
        return key switch
        {
            KeyForm.RowidHashSize => $"CREATE TABLE Block (ID INTEGER PRIMARY KEY, {table}); CREATE UNIQUE INDEX BlockKey ON Block ({hashColumns}, Size)",
            KeyForm.RowidHash => $"CREATE TABLE Block (ID INTEGER PRIMARY KEY, {table}); CREATE UNIQUE INDEX BlockKey ON Block ({hashColumns})",
            KeyForm.RowidHashPart => $"CREATE TABLE Block (ID INTEGER PRIMARY KEY, {table}); CREATE UNIQUE INDEX BlockKey ON Block ({Part(hash)})",
            KeyForm.NoRowidHashSize => $"CREATE TABLE Block (ID INTEGER NOT NULL, {table}, PRIMARY KEY ({hashColumns}, Size)) WITHOUT ROWID",
            _ => $"CREATE TABLE Block (ID INTEGER NOT NULL, {table}, PRIMARY KEY ({hashColumns})) WITHOUT ROWID",
        };
    }

    /// <summary>?1 id, ?2 size, ?3 volume, then the hash in one parameter or four.</summary>
    public static string Insert(HashForm hash) => hash == HashForm.FourIntegers
        ? $"INSERT INTO Block (ID, Size, VolumeID, {IntegerColumns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
        : "INSERT INTO Block (ID, Size, VolumeID, Hash) VALUES (?1, ?2, ?3, ?4)";

    /// <summary>?1 size, then the hash in one parameter or four; uses BlockKey, or the table itself without row id.</summary>
    public static string Find(HashForm hash, KeyForm key)
    {
        var part = key == KeyForm.RowidHashPart && hash != HashForm.FourIntegers ? $"{Part(hash)} = {Part(hash).Replace("Hash", "?2", StringComparison.Ordinal)} AND " : "";
        var whole = hash == HashForm.FourIntegers ? "H1 = ?2 AND H2 = ?3 AND H3 = ?4 AND H4 = ?5" : "Hash = ?2";
        return $"SELECT ID FROM Block WHERE {part}{whole} AND Size = ?1";
    }

    // Twelve bytes of the digest, or the next more that can be had: too many for two blocks to have them in common.
    private static string Part(HashForm hash) => hash switch
    {
        HashForm.FourIntegers => "H1, H2",
        HashForm.Blob => "substr(Hash, 1, 12)",
        _ => "substr(Hash, 1, 16)",
    };
}
