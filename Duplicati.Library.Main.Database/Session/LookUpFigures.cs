#nullable enable

namespace Duplicati.Library.Main.Database.Session;

/// <summary>How many look-ups the maps of blocks of a session have answered. Plain fields, because they are counted for every block; with the session's gate held.</summary>
internal sealed class LookUpFigures
{
    /// <summary>All of them.</summary>
    internal long Requests { get; set; }

    /// <summary>Those that the memory could not answer, so that the table was asked.</summary>
    internal long Misses { get; set; }
}
