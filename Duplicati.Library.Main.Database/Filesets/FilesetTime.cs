#nullable enable

namespace Duplicati.Library.Main.Database.Filesets;

/// <summary>A fileset and its time.</summary>
/// <param name="Id">Row id.</param>
/// <param name="EpochSeconds">Seconds since 1970, UTC.</param>
internal readonly record struct FilesetTime(long Id, long EpochSeconds);
