namespace Duplicati.Engine.Operations;

/// <summary>The state of a database file. Sizes are bytes.</summary>
/// <param name="SchemaVersion">Version of the schema.</param>
/// <param name="FileBytes">Size of the file.</param>
/// <param name="LogBytes">Size of the write-ahead log beside it; 0 without one.</param>
/// <param name="PageSize">Size of a page.</param>
/// <param name="Pages">Number of pages.</param>
/// <param name="FreePages">Pages that hold nothing; a vacuum gives them back.</param>
/// <param name="RowCounts">Rows by table.</param>
/// <param name="Objects">Tables and indexes by size; empty where SQLite cannot tell.</param>
/// <param name="Flags">Marks that an operation has not ended, such as <c>repair-in-progress</c>.</param>
/// <param name="Problems">What the integrity check found.</param>
public sealed record InspectReport(
    int SchemaVersion,
    long FileBytes,
    long LogBytes,
    long PageSize,
    long Pages,
    long FreePages,
    IReadOnlyDictionary<string, long> RowCounts,
    IReadOnlyList<ObjectSize> Objects,
    IReadOnlyList<string> Flags,
    IReadOnlyList<string> Problems);

/// <summary>The size of a table or an index.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Type">table or index.</param>
/// <param name="Bytes">Bytes of its pages.</param>
/// <param name="UnusedBytes">Bytes in them that hold nothing.</param>
public sealed record ObjectSize(string Name, string Type, long Bytes, long UnusedBytes);
