#nullable enable

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>A row of FileLookup for a list of sizes.</summary>
/// <param name="Path">Full path.</param>
/// <param name="FileId">Row id.</param>
/// <param name="Length">Bytes; -1 without content.</param>
internal readonly record struct SizedFile(string Path, long FileId, long Length);
