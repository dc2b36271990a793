// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>What a run is going to do, in words.</summary>
internal static class EndToEndPlan
{
    // On two idle processors of 2.1 GHz: starting programs, and what each block takes in a round of the engine or of the database's part.
    private const double SecondsOfAnyRound = 3;
    private const double MicrosecondsOfWholeRound = 80;
    private const double MicrosecondsOfDatabaseRound = 120;

    /// <summary>What will be done, and about how long it takes where that can be told.</summary>
    public static string Text(EndToEndOptions options)
    {
        var data = options.Source is { } source
            ? $"Backs up {source}"
            : $"Makes {SizeText.Of(options.TotalBytes)} in {SizeText.Count(options.Files, "file")}";
        var presets = options.Peers.Count == 0 ? "preset " : "";
        var contenders = presets + string.Join(", ", Peer.Contenders(options).Select(contender => contender.Name));
        var whole = SizeText.Count(options.Timed.Count(), "operation");
        var text = $"{data}, and times {whole} with {contenders}: {SizeText.Count(options.Repeat, "round")}.\n";
        if (options.TimedInDatabase.Any())
            text +=
                $"Then the database's part of {options.TimedInDatabase.Count()} of them, plainly and by this layer: {SizeText.Count(options.Repeat, "round")}.\n";
        return text + (options.Peers.Count == 0 && options.Source is null ? Duration(options) : "Nothing else should run meanwhile.");
    }

    private static string Duration(EndToEndOptions options)
    {
        var blocks = options.TotalBytes / options.BlockSize;
        var whole = options.Repeat * options.Presets.Count * (SecondsOfAnyRound + (blocks * MicrosecondsOfWholeRound / 1e6));
        var database = options.TimedInDatabase.Any() ? options.Repeat * blocks * MicrosecondsOfDatabaseRound / 1e6 : 0;
        var minutes = (int)Math.Ceiling((SecondsOfAnyRound + whole + database) / 60);
        return $"About {SizeText.Count(minutes, "minute")} on two idle processors; what else runs meanwhile spoils the figures.";
    }
}
