namespace Duplicati.Benchmarks.Profile;

/// <summary>What a sample is counted for, in the order of the columns.</summary>
internal enum ProfilePart
{
    /// <summary>SQLite itself.</summary>
    Sqlite,

    /// <summary>The data layer of this repository and the provider below it.</summary>
    Layer,

    /// <summary>The system, asked by one of these two: reading, writing and locking of the database.</summary>
    LayerKernel,

    /// <summary>Hashes of blocks and volumes, and encryption.</summary>
    Cryptography,

    /// <summary>Compression and its opposite.</summary>
    Compression,

    /// <summary>The engine of this repository.</summary>
    Engine,

    /// <summary>The system, asked by anything else: files that are backed up, volumes, memory, threads.</summary>
    Kernel,

    /// <summary>Compilation of methods while the program runs.</summary>
    Compiler,

    /// <summary>Collections of memory and the rest of the runtime, where none of the above asked for it.</summary>
    Runtime,

    /// <summary>What finds and loads the runtime.</summary>
    Start,

    /// <summary>All else.</summary>
    Rest,
}
