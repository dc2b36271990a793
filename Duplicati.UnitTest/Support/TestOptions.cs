// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.UnitTest.Support;

/// <summary>Options of connections that differ from a preset.</summary>
internal static class TestOptions
{
    /// <summary>A preset with other values of some pragmas.</summary>
    internal static ConnectionOptions Of(string preset, params (string Name, object Value)[] others)
    {
        var found = ConnectionPreset.Find(preset);
        return new ConnectionOptions(
            found.Name,
            [
                .. found.Pragmas.ExceptBy(others.Select(x => x.Name), x => x.Name),
                .. others.Select(x => new Pragma(x.Name, $"{x.Value}", "asked for by a test")),
            ],
            found.RefreshesStatistics
        );
    }

    /// <summary>The preset <c>default</c>, of which the planner's statistics are not refreshed.</summary>
    internal static ConnectionOptions WithoutStatistics() =>
        new(ConnectionPreset.Default.Name, ConnectionPreset.Default.Pragmas, refreshesStatistics: false);

    /// <summary>A preset that waits for locks for a time of its own.</summary>
    /// <param name="commandTimeout">Seconds.</param>
    /// <param name="busyTimeout">Milliseconds.</param>
    /// <param name="preset">Its name.</param>
    internal static ConnectionOptions Waiting(int commandTimeout, int? busyTimeout = null, string preset = "default")
    {
        var options = busyTimeout is { } milliseconds ? Of(preset, ("busy_timeout", milliseconds)) : Of(preset);
        return new ConnectionOptions(options.PresetName, options.Pragmas, options.RefreshesStatistics) { CommandTimeout = commandTimeout };
    }
}
