// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>
/// A named set of connection options. <c>default</c> is used when nothing else is asked for; the others are chosen by
/// name, with <see cref="Use"/>.
/// </summary>
/// <remarks>Immutable; may be shared between threads.</remarks>
public sealed class ConnectionPreset
{
    private ConnectionPreset(string name, string summary, bool refreshesStatistics, Pragma[] pragmas)
    {
        Name = name;
        Summary = summary;
        RefreshesStatistics = refreshesStatistics;
        Pragmas = pragmas.OrderBy(pragma => PragmaCatalogue.Position(pragma.Name)).ToArray();
    }

    /// <summary>Backups on an ordinary machine. A power loss may drop the last commits but does not corrupt the file.</summary>
    public static ConnectionPreset Default { get; } = new("default", "for backups on an ordinary machine", true, PresetPragmas.Default);

    /// <summary>More memory and a longer write-ahead log, for large databases; durability as <see cref="Default"/>.</summary>
    public static ConnectionPreset Throughput { get; } =
        new("throughput", "more memory and a longer write-ahead log, for large databases", true, PresetPragmas.Throughput);

    /// <summary>A few MiB of memory, temporary data in files; durability as <see cref="Default"/>.</summary>
    public static ConnectionPreset Small { get; } = new("small", "little memory, temporary data in files", true, PresetPragmas.Small);

    /// <summary>As <see cref="Default"/>, but every commit is flushed to the disk before it returns, so a power loss drops none.</summary>
    public static ConnectionPreset Durable { get; } =
        new("durable", "a commit that returned survives a power loss", true, PresetPragmas.Durable);

    /// <summary>
    /// A database that is being rebuilt. UNSAFE: nothing is flushed, so a power loss or a crash of the operating system may
    /// leave a corrupt file, which must then be thrown away. A killed process leaves the last commit intact. The file must
    /// not be used as a database before its settings are the normal ones again.
    /// </summary>
    public static ConnectionPreset Rebuild { get; } =
        new(
            "rebuild",
            "a database being rebuilt; may be corrupt after a power loss until the rebuild finishes",
            true,
            PresetPragmas.Rebuild
        );

    /// <summary>SQLite's own settings, to measure against. Only the waiting on locks is set.</summary>
    public static ConnectionPreset Stock { get; } = new("stock", "SQLite's own settings, to measure against", false, PresetPragmas.Stock);

    /// <summary>All presets, <see cref="Default"/> first.</summary>
    public static IReadOnlyList<ConnectionPreset> All { get; } = [Default, Throughput, Small, Durable, Rebuild, Stock];

    /// <summary>The name it is chosen by, lower case.</summary>
    public string Name { get; }

    /// <summary>What it is for, in a few words.</summary>
    public string Summary { get; }

    /// <summary>Whether planner statistics are refreshed when a database is opened to work on it.</summary>
    public bool RefreshesStatistics { get; }

    /// <summary>The pragmas, in the order in which they are set.</summary>
    internal IReadOnlyList<Pragma> Pragmas { get; }

    /// <summary>The preset called <paramref name="name"/>, whatever the letter case.</summary>
    /// <exception cref="ArgumentException">There is none; the message lists the names.</exception>
    public static ConnectionPreset Find(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return All.FirstOrDefault(preset => string.Equals(preset.Name, name.Trim(), StringComparison.OrdinalIgnoreCase))
            ?? throw new ArgumentException(
                $"There is no connection preset '{name}'. Presets: {string.Join(", ", All.Select(preset => preset.Name))}.",
                nameof(name)
            );
    }

    /// <summary>
    /// Opens every connection of the current call chain (this method and all it calls or awaits, on whatever thread) with the named
    /// preset, until the returned scope is disposed. Scopes nest; the innermost counts.
    /// </summary>
    /// <exception cref="ArgumentException">There is no such preset.</exception>
    public static IDisposable Use(string name) =>
        // How long locks are waited for is no matter of presets, and stays as it was asked for.
        Find(name).ToOptions(ConnectionOptions.Current.CommandTimeout).Use();

    /// <summary>The options of this preset, unchanged.</summary>
    internal ConnectionOptions ToOptions(int? commandTimeout = null) =>
        new(Name, Pragmas, RefreshesStatistics) { CommandTimeout = commandTimeout };

    /// <inheritdoc />
    public override string ToString() => Name;
}
