namespace Duplicati.Benchmarks.Micro.Schema;

/// <summary>A form of the hash and of the key.</summary>
/// <param name="Hash">How the hash is stored.</param>
/// <param name="Key">How a block is found.</param>
internal sealed record BlockTableShape(HashForm Hash, KeyForm Key)
{
    /// <summary>What the schema has.</summary>
    public const string Today = "TEXT (hash, size)";

    /// <summary>All shapes by name: the form of the hash, and in brackets what is unique.</summary>
    public static IReadOnlyDictionary<string, BlockTableShape> All { get; } = Enum.GetValues<HashForm>()
        .SelectMany(hash => Enum.GetValues<KeyForm>().Select(key => new BlockTableShape(hash, key)))
        .ToDictionary(shape => $"{NameOf(shape.Hash)} {NameOf(shape.Key)}");

    private static string NameOf(HashForm hash) => hash switch
    {
        HashForm.Text => "TEXT",
        HashForm.Varchar44 => "VARCHAR(44)",
        HashForm.Blob => "BLOB",
        _ => "4 INTEGERs",
    };

    private static string NameOf(KeyForm key) => key switch
    {
        KeyForm.RowidHashSize => "(hash, size)",
        KeyForm.RowidHash => "(hash)",
        KeyForm.RowidHashPart => "(part of the hash)",
        KeyForm.NoRowidHashSize => "(hash, size), no row id",
        _ => "(hash), no row id",
    };
}

/// <summary>How a table could store the hash of a block.</summary>
internal enum HashForm
{
    /// <summary>Base64 text, 44 bytes, declared TEXT: what the schema has.</summary>
    Text,

    /// <summary>The same declared VARCHAR(44); SQLite does not enforce the length.</summary>
    Varchar44,

    /// <summary>The 32 bytes of the digest.</summary>
    Blob,

    /// <summary>The digest as four 64-bit integers in four columns.</summary>
    FourIntegers,
}

/// <summary>How a table could find a block.</summary>
internal enum KeyForm
{
    /// <summary>Row id, and a unique index on hash and size: what the schema has.</summary>
    RowidHashSize,

    /// <summary>Row id, and a unique index on the hash alone.</summary>
    RowidHash,

    /// <summary>Row id, and a unique index on the first twelve bytes of the hash, as an expression (two of four integers: sixteen); the rest is compared in the row.</summary>
    RowidHashPart,

    /// <summary>No row id: the table is the index on hash and size. A row cannot be found by its id any more.</summary>
    NoRowidHashSize,

    /// <summary>No row id: the table is the index on the hash alone.</summary>
    NoRowidHash,
}
