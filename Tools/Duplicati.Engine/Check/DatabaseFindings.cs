// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Reports;
using Duplicati.Library.SQLiteHelper.Indexes;

namespace Duplicati.Engine.Check;

/// <summary>What can be wrong with a database, and what to do about it.</summary>
internal sealed class DatabaseFindings(string path, CommandWords words)
{
    /// <summary>The kind of <see cref="BlocksAreLost"/>.</summary>
    internal const string LostBlocks = "LostBlocks";

    private const string Backed = "What is backed up lies in the remote folder and is not touched by this.";

    /// <summary>What the commands are for.</summary>
    internal CommandWords Words => words;

    internal CheckFinding Damaged(PageDamage damage) =>
        Problem("DamagedDatabase", damage.What, $"{LossOf(damage)} {Backed}", Advice.DamagedDatabase()) with
        {
            OnlyHere =
                damage is { Source: not DamageSource.Rows, Table: { } table } && OwnTables.WhatIsIn(table) is not null
                    ? new OwnTableRows(table, damage.Rows, damage.Unreadable)
                    : null,
        };

    internal CheckFinding Schema(SchemaProblem problem) =>
        Problem(
            problem.IsNewer ? "NewerSchema" : "DamagedSchema",
            $"{problem.What}.",
            Backed,
            problem.Remedy,
            words.Backup("recreate", "--overwrite")
        );

    internal CheckFinding DamagedSetting(string problem) =>
        Problem(
            "DamagedSetting",
            $"The database is damaged: {problem}.",
            $"With it, a backup would make volumes that cannot be read together with those that are there. {Backed}",
            Advice.RecreateDatabase()
        );

    internal CheckFinding DanglingRows(string what) =>
        Problem(
            "DanglingRows",
            what,
            $"Answers about those files may be wrong, and operations may stop. {Backed}",
            Advice.InconsistentDatabase()
        );

    internal CheckFinding Inconsistent(string what) =>
        Problem("InconsistentDatabase", what, $"Operations that change the backup refuse to run. {Backed}", Advice.InconsistentDatabase());

    internal CheckFinding InterruptedRecreate() =>
        Problem(
            "UnfinishedRecreate",
            "A recreate of this database was interrupted, or is at work on it.",
            "The database lacks versions or files that the remote folder has. " + Backed,
            Advice.ContinueRecreate()
        );

    internal CheckFinding UnfinishedRecreate() =>
        Problem(
            "UnfinishedRecreate",
            "A recreate of this database did not come to its end.",
            "The database lacks versions or files that the remote folder has. " + Backed,
            Advice.RecreateDatabase()
        );

    internal CheckFinding BlocksAreLost(string remedy) =>
        Problem(
            LostBlocks,
            "Versions need blocks that are in no volume.",
            "Files that need them cannot be restored; all others can. Operations that change the backup refuse to run.",
            remedy
        );

    internal CheckFinding PartialRecreate() =>
        Problem(
            "PartialRecreate",
            "The database was recreated for some versions only.",
            "The other versions are in the remote folder, but cannot be chosen.",
            Advice.RecreateDatabase()
        );

    internal CheckFinding Empty() =>
        Problem(
            "EmptyDatabase",
            "The database holds no version and no volume, and no backup has begun in it.",
            "Nothing can be listed or restored with it. " + Backed,
            Advice.RecreateDatabase()
        );

    internal CheckFinding MissingIndexes(int count, int schema) =>
        Problem(
            "MissingIndexes",
            $"An operation that did not end has left {SizeText.Count(count, "index")} out.",
            $"Everything is there; finding it is slower. Until they are built the version of the database reads {LeftOutIndexes.VersionMark + schema} instead of {schema}, and other releases and their tools refuse it.",
            "The next operation that writes builds them; or build them now.",
            words.Database("upgrade")
        );

    internal CheckFinding Interrupted() =>
        Hint(
            "InterruptedOperation",
            "A backup or another operation that changes the remote folder was interrupted, or is running.",
            "Versions that were complete before are whole; the one that was being made is not there yet.",
            "The next backup goes on from there; or settle what was left now.",
            words.Backup("repair")
        );

    internal CheckFinding OldSchema(long version, long newest) =>
        Hint(
            "OldSchema",
            $"The database has version {version} of the schema; the newest is {newest}.",
            "Reading takes a copy first. Nothing is at risk.",
            "The next backup upgrades it, after a safety copy; or upgrade it now.",
            words.Database("upgrade")
        );

    internal CheckFinding StaleStatistics() =>
        Hint(
            "StaleStatistics",
            "The statistics of SQLite's query planner are missing or long out of date.",
            "Listings and searches may be slow. Nothing is at risk.",
            "The next operation that writes gathers them; or gather them now.",
            words.Database("upgrade")
        );

    internal CheckFinding Log(long bytes) =>
        Hint(
            "LogLeft",
            $"A log of {bytes} bytes lies beside the database: a program is writing to it, or was killed.",
            "What it committed is in the log and counts. Do not remove it.",
            "The next operation that writes takes it over; or have it taken over now.",
            words.Database("upgrade")
        );

    internal CheckFinding FreePages(long bytes, long percent) =>
        Hint(
            "FreePages",
            $"{bytes} bytes of the file, {percent} %, hold nothing.",
            "They are used again as the backup grows; until then they take space.",
            "Rewrite the database without them; that needs free space of its size, beside it and once more among the temporary files.",
            words.Database("vacuum")
        );

    private static string LossOf(PageDamage damage) =>
        damage.Source switch
        {
            DamageSource.Rows => "Nothing is lost: it is made anew from the rows of the tables.",
            DamageSource.Remote when damage.Table is { } table && OwnTables.WhatIsIn(table) is { } what =>
                $"What the remote folder has is taken from there. Only the database has {what}: {OwnLossOf(damage)}",
            DamageSource.Remote => "Nothing is lost: it is taken from the remote folder.",
            _ => $"Only the database has {OwnTables.WhatIsIn(damage.Table!)}: {OwnLossOf(damage)} No file of any version needs that.",
        };

    private static string OwnLossOf(PageDamage damage) =>
        $"that of {SizeText.Count(damage.Rows, "row")} can be read and is kept; what is on {SizeText.Count(damage.Unreadable, "page or row that cannot be read is", "pages or rows that cannot be read is")} lost.";

    private CheckFinding Problem(string kind, string what, string meaning, string mend, string? command = null) =>
        new(kind, FindingSeverity.Problem, what, path, meaning, mend, command ?? words.First([mend]));

    private CheckFinding Hint(string kind, string what, string meaning, string mend, string command) =>
        new(kind, FindingSeverity.Hint, what, path, meaning, mend, command);
}
