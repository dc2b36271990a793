// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>
/// Changes the options of a preset, by name. Unknown names and values are refused when they are given; combinations in
/// which an option could have no effect, or would break a promise, are refused by <see cref="Build"/>.
/// </summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class ConnectionOptionsBuilder
{
    /// <summary>The name under which <see cref="Set(string, string)"/> takes a <see cref="Durability"/>.</summary>
    public const string DurabilityOption = "durability";

    private readonly ConnectionPreset m_preset;
    private readonly Dictionary<string, Pragma> m_overrides = new(StringComparer.OrdinalIgnoreCase);
    private Durability? m_durability;
    private bool? m_refreshesStatistics;
    private int? m_commandTimeout;

    internal ConnectionOptionsBuilder(ConnectionPreset preset) => m_preset = preset;

    /// <summary>The names <see cref="Set(string, string)"/> takes.</summary>
    public static IReadOnlyList<string> OptionNames { get; } = [DurabilityOption, .. PragmaCatalogue.Names];

    /// <summary>Overrides one option; the last value given for a name counts.</summary>
    /// <param name="name">One of <see cref="OptionNames"/>, whatever the letter case.</param>
    /// <param name="value">A value the option takes, as in the pragma statement.</param>
    /// <exception cref="ArgumentException">Unknown name (the message lists the names) or a value it does not take (the message says which
    /// it takes).</exception>
    public ConnectionOptionsBuilder Set(string name, string value)
    {
        ArgumentNullException.ThrowIfNull(name);
        ArgumentNullException.ThrowIfNull(value);
        name = name.Trim();

        if (string.Equals(name, DurabilityOption, StringComparison.OrdinalIgnoreCase))
            return WithDurability(ParseDurability(value));

        var definition =
            PragmaCatalogue.Find(name)
            ?? throw new ArgumentException(
                $"There is no connection option '{name}'. Options: {string.Join(", ", OptionNames)}.",
                nameof(name)
            );
        if (!definition.Takes(value))
            throw new ArgumentException(
                $"The connection option {definition.Name} does not take '{value}'. It takes: {definition.Accepts}.",
                nameof(value)
            );

        m_overrides[definition.Name] = new(definition.Name, value.Trim(), "asked for by name");
        return this;
    }

    /// <summary>Overrides one option that takes a number.</summary>
    /// <exception cref="ArgumentException">As <see cref="Set(string, string)"/>.</exception>
    public ConnectionOptionsBuilder Set(string name, long value) => Set(name, value.ToString(CultureInfo.InvariantCulture));

    /// <summary>Chooses what a power loss may take, whatever the preset says.</summary>
    public ConnectionOptionsBuilder WithDurability(Durability durability)
    {
        m_durability = durability;
        return this;
    }

    /// <summary>Chooses whether planner statistics are refreshed when a database is opened to work on it.</summary>
    public ConnectionOptionsBuilder WithStatisticsRefresh(bool refresh)
    {
        m_refreshesStatistics = refresh;
        return this;
    }

    /// <summary>Chooses how long locks of other connections are waited for, unless the busy timeout is longer.</summary>
    /// <param name="seconds">Seconds; 0 waits for ever, less than 0 does not wait.</param>
    public ConnectionOptionsBuilder WithCommandTimeout(int seconds)
    {
        m_commandTimeout = seconds;
        return this;
    }

    /// <summary>The options.</summary>
    /// <exception cref="ArgumentException">The options given do not go together; the message says which and why.</exception>
    public ConnectionOptions Build()
    {
        var asked = new Dictionary<string, Pragma>(m_overrides, StringComparer.OrdinalIgnoreCase);
        if (m_durability is { } durability)
            AddDurability(asked, durability);

        var pragmas = m_preset.Pragmas.ToDictionary(pragma => pragma.Name, StringComparer.OrdinalIgnoreCase);
        foreach (var pragma in asked.Values)
            pragmas[pragma.Name] = pragma;

        DropWhatFollowsTheJournalMode(pragmas, asked);
        OptionConflicts.Refuse(m_preset, pragmas, asked);
        return new ConnectionOptions(
            m_preset.Name,
            pragmas.Values,
            m_refreshesStatistics ?? m_preset.RefreshesStatistics,
            asked.Keys,
            m_commandTimeout
        );
    }

    private static Durability ParseDurability(string value) =>
        !int.TryParse(value, out _) && Enum.TryParse<Durability>(value.Trim(), ignoreCase: true, out var durability)
            ? durability
            : throw new ArgumentException(
                $"The connection option {DurabilityOption} does not take '{value}'. It takes: none, normal, full.",
                nameof(value)
            );

    private static void AddDurability(Dictionary<string, Pragma> asked, Durability durability)
    {
        if (asked.ContainsKey(PragmaCatalogue.Synchronous))
            throw new ArgumentException($"{DurabilityOption} and {PragmaCatalogue.Synchronous} say the same thing; give one of them.");

        var (synchronous, fullFsync) = durability switch
        {
            Durability.None => ("OFF", "OFF"),
            Durability.Normal => ("NORMAL", "OFF"),
            _ => ("FULL", "ON"),
        };
        var reason = $"durability {durability} was asked for";
        asked[PragmaCatalogue.Synchronous] = new(PragmaCatalogue.Synchronous, synchronous, reason);
        asked.TryAdd(PragmaCatalogue.FullFsync, new(PragmaCatalogue.FullFsync, fullFsync, reason));
    }

    // A preset's limit of the write-ahead log means nothing once another journal was asked for; only one given by name is an error.
    private static void DropWhatFollowsTheJournalMode(Dictionary<string, Pragma> pragmas, Dictionary<string, Pragma> asked)
    {
        if (!OptionConflicts.IsWriteAheadLog(pragmas) && !asked.ContainsKey(PragmaCatalogue.WalAutocheckpoint))
            pragmas.Remove(PragmaCatalogue.WalAutocheckpoint);
    }
}
