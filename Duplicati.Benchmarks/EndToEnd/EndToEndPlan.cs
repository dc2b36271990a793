// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
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
            : $"Makes {SizeText.Of(options.TotalBytes)} in {options.Files} files";
        var contenders = Peer.Contenders(options).Select(contender => contender.Name);
        var operations = string.Join(", ", options.Timed.Select(operation => operation.Title));
        var text = string.Create(
            CultureInfo.InvariantCulture,
            $"{data}, and times with {string.Join(", ", contenders)}: {operations}. Rounds: {options.Repeat}.\n"
        );
        if (options.TimedInDatabase.Any())
            text += string.Create(
                CultureInfo.InvariantCulture,
                $"Then the database's part of these in two ways, plain and by this layer. Rounds: {options.DatabaseRounds}.\n"
            );
        return text + (options.Peers.Count == 0 && options.Source is null ? Duration(options) : "Nothing else should run meanwhile.");
    }

    private static string Duration(EndToEndOptions options)
    {
        var blocks = options.TotalBytes / options.BlockSize;
        var whole = options.Repeat * options.Presets.Count * (SecondsOfAnyRound + (blocks * MicrosecondsOfWholeRound / 1e6));
        var database = options.TimedInDatabase.Any() ? options.DatabaseRounds * blocks * MicrosecondsOfDatabaseRound / 1e6 : 0;
        var minutes = (int)Math.Ceiling((SecondsOfAnyRound + whole + database) / 60);
        return FormattableString.Invariant(
            $"About {minutes} {(minutes == 1 ? "minute" : "minutes")} on two idle processors; what else runs meanwhile spoils the figures."
        );
    }
}
