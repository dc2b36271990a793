#nullable enable

using System;
using Duplicati.Library.Main.Database.Model;

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>A fileset and its place among all.</summary>
/// <param name="Id">Row id.</param>
/// <param name="Version">Position among all filesets, newest first, from 0.</param>
/// <param name="EpochSeconds">Seconds since 1970, UTC.</param>
/// <param name="IsFullBackup">A value of BackupType.</param>
internal readonly record struct FilesetRow(long Id, long Version, long EpochSeconds, int IsFullBackup)
{
    /// <summary>The time, UTC.</summary>
    internal DateTime Utc => EpochTime.FromSeconds(EpochSeconds);
}
