#nullable enable

namespace Duplicati.Library.Main.Database.Backup;

/// <summary>An entry of an earlier fileset.</summary>
/// <param name="FileId">Row id in FileLookup.</param>
/// <param name="Ticks">Time of last change, 100 ns ticks, UTC.</param>
/// <param name="Path">Full path.</param>
/// <param name="Length">Bytes; -1 for a folder or symbolic link.</param>
internal readonly record struct PreviousEntry(long FileId, long Ticks, string Path, long Length);
