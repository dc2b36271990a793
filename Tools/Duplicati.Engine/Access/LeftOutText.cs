// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Library.Interface;

namespace Duplicati.Engine.Access;

/// <summary>What users are told about indexes that an operation has left out while it fills a database.</summary>
internal static class LeftOutText
{
    /// <summary>What an operation left behind that did not end.</summary>
    internal static string Interrupted(string path, int missing) =>
        $"interrupted: {SizeText.Count(missing, "index")} missing; the next operation that writes, or `duplicati-db upgrade {path}`, completes them";

    /// <summary>What an operation has left out that is running.</summary>
    internal static string BeingFilled(int missing) =>
        $"{SizeText.Count(missing, "index")} left out by a running operation, which completes them";

    /// <summary>Refuses a database that lacks indexes after they should have been completed.</summary>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseIsBeingFilled</c>, <c>DatabaseLacksIndexes</c>.</exception>
    internal static void RequireComplete(string path)
    {
        using var reader = new DatabaseDumpReader(path);
        if (reader.LeftOut is not { } leftOut)
            return;

        throw leftOut.IsBeingFilled
            ? new UserInformationException(
                $"An operation that is running fills {path} and completes its {SizeText.Count(leftOut.Names.Count, "missing index")} at its end; wait for it.",
                "DatabaseIsBeingFilled"
            )
            : new UserInformationException(
                $"Indexes of {path} could not be built: {string.Join(", ", leftOut.Names)}. If no other program is writing to the file and the disk has space, its rows contradict each other. {Advice.RecreateDatabase()}",
                "DatabaseLacksIndexes"
            );
    }
}
