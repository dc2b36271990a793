namespace Duplicati.Benchmarks.Micro.Schema;

/// <summary>How a table could store the hash of a block.</summary>
public enum HashForm
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
public enum KeyForm
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
