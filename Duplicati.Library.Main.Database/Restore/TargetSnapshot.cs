#nullable enable

using System.Collections.Immutable;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>The targets of all entries at one moment.</summary>
/// <param name="Paths">Where entries go by rule.</param>
/// <param name="Renamed">Entries that go elsewhere, by id.</param>
internal readonly record struct TargetSnapshot(TargetPaths Paths, ImmutableDictionary<long, string> Renamed)
{
    /// <summary>Whether targets sort as the source paths do from <see cref="SortFrom"/> on.</summary>
    internal bool KeepsOrder => Paths.KeepsOrder && Renamed.IsEmpty;

    /// <summary>The character, counted from 1, that sorting begins at.</summary>
    internal long SortFrom => Paths.SortFrom;

    /// <summary>The target of an entry.</summary>
    internal string Of(long id, string path) => Renamed.TryGetValue(id, out var target) ? target : Paths.Map(path);
}
