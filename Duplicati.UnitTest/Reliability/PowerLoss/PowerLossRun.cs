// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Reliability.PowerLoss;

/// <summary>Loses power again and again on the way of one recorded run, and opens what is left.</summary>
internal sealed class PowerLossRun(DiskRecording recording, PowerLossCase test, Random random)
{
    // So many states are tried for one that was not seen yet.
    private const int Patience = 4;

    private readonly HashSet<string> m_known = new(StringComparer.Ordinal);
    private readonly SortedDictionary<int, int> m_lost = [];

    /// <summary>States looked at, each unlike any other.</summary>
    internal int States { get; private set; }

    /// <summary>States that held no commit, or not one that has to be there, of a file of which nothing is promised.</summary>
    internal int Damaged { get; private set; }

    /// <summary>How many commits the states lacked, and how many did.</summary>
    internal string Lost => string.Join(", ", m_lost.Select(x => $"{x.Key}: {x.Value}"));

    /// <summary>Looks at so many states, the same number at each of the points that are chosen.</summary>
    internal async Task RunAsync(int states)
    {
        for (var round = 0; round < Patience && States < states; round++)
        {
            var points = recording.Points.ToArray();
            random.Shuffle(points);
            var left = states - States;
            var each = Math.Max(1, left / points.Length + (left % points.Length == 0 ? 0 : 1));
            await RunAsync(points.Take(left).ToHashSet(), each, states);
        }
    }

    private async Task RunAsync(HashSet<int> points, int each, int states)
    {
        using var folder = new TestFolder();
        var disk = recording.NewDisk();
        for (var point = 0; point <= recording.Steps.Count; point++)
        {
            if (point > 0)
                disk.Apply(recording.Steps[point - 1]);
            if (!points.Contains(point))
                continue;
            var found = 0;
            for (var i = 0; i < each * Patience && found < each && States < states; i++)
            {
                var state = i switch
                {
                    0 when each > 1 => disk.Flushed(),
                    1 when each > 2 => disk.Seen(),
                    _ => disk.Lose(random),
                };
                if (!m_known.Add(SimulatedDisk.Fingerprint(state)))
                    continue;
                found++;
                States++;
                await CheckAsync(point, state, folder);
            }
        }
    }

    private async Task CheckAsync(int point, Dictionary<string, byte[]> state, TestFolder folder)
    {
        var (first, last) = recording.Allowed(point, test.IsDurable);
        var where =
            $"{test.Name}, after {point} of {recording.Steps.Count} steps, commits {first} to {last}, files {string.Join(", ", state.Select(x => $"{x.Key} {x.Value.Length}"))}";
        DatabaseState.Write(folder.Path, state);
        var path = folder.File(PowerLossCase.Database);
        var commit = -1;
        try
        {
            commit = recording.Find(DatabaseState.Open(path), first, last);
        }
        catch (SqliteException ex)
        {
            Assert.That(test.MayDamage(folder.Path), Is.True, $"{where}: {ex.Message}");
        }

        Assert.That(commit >= 0 || test.MayDamage(folder.Path), Is.True, $"no commit, or one that has to be there is not: {where}");
        if (commit >= 0)
            m_lost[last - commit] = m_lost.GetValueOrDefault(last - commit) + 1;
        else
            Damaged++;
        await test.CheckAsync(folder.Path, where, States);
        await OpenAsync(path, commit < 0);
    }

    private static async Task OpenAsync(string path, bool isDamaged)
    {
        try
        {
            await using var database = await LocalDatabase.CreateLocalDatabaseAsync(path, "Open", true, null, default);
        }
        catch (Exception ex) when (isDamaged && ex is UserInformationException or SqliteException)
        {
            // It says what is wrong with the file.
        }
    }
}
