// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Backup;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>
/// Every member that reads, then a commit by another connection, then every member that writes, each of them from the list of the API: what
/// was told is still so when something is written, or it is not written.
/// </summary>
[TestFixture]
internal sealed class ToldPairsTests
{
    private const int Outdated = 517;

    // They end the transaction, or open another connection. And a file is of ids that were told in pairs before, which is refused rightly
    // once these are outdated: LostUpdateTests has that.
    private static readonly string[] s_leftOut =
    [
        nameof(LocalDatabase.CommitAsync),
        nameof(LocalDatabase.VacuumAsync),
        nameof(LocalBugReportDatabase.ObfuscateAsync),
        nameof(LocalRestoreDatabase.GetConnectionFromPoolAsync),
        nameof(LocalBackupDatabase.AddFileAsync),
    ];

    private static readonly Lazy<HashSet<string>> s_api = new(ReadApi);

    private readonly int m_seed = LongRun.Seed();

    private static IEnumerable<string> ApiNames => [ToldPair.Base, .. ExternalThreads.ApiTypes().Keys];

    [TestCaseSource(nameof(ApiNames))]
    public async Task What_was_told_is_so_when_something_is_written(string api)
    {
        await using var sample = await BackupFixture.CreateAsync();
        for (var i = 0; i < 6; i++)
            await sample.AddFileAsync($"/a{i}", i);
        await sample.Database.CommitAsync(default);
        await using var pair = await ToldPair.OpenAsync(sample, api);
        var members = MembersOf(pair.Mine.GetType());
        var readers = new List<MethodInfo>();
        var writers = new List<MethodInfo>();
        foreach (var member in members)
        {
            await pair.RestoreAsync();
            await TryAsync(pair.Mine, member);
            if (pair.HasWritten)
                writers.Add(member);
            else if (member.ReturnType != typeof(Task) && pair.HasRead())
                readers.Add(member);
        }

        Assert.That(readers, Is.Not.Empty);
        Assert.That(writers, Is.Not.Empty);
        var counts = new SortedDictionary<string, int>(StringComparer.Ordinal);
        var wrong = new List<string>();
        foreach (var reader in readers)
        {
            foreach (var writer in writers.Where(x => IsOwn(pair.Mine, x) || IsOwn(pair.Mine, reader)))
            {
                foreach (var isChanged in new[] { true, false })
                {
                    var outcome = await RunAsync(pair, reader, writer, isChanged);
                    counts[outcome] = counts.GetValueOrDefault(outcome) + 1;
                    if (outcome.StartsWith("WRONG", StringComparison.Ordinal))
                        wrong.Add($"{reader.Name}, {writer.Name}: {outcome}");
                }
            }
        }

        TestContext.Out.WriteLine(
            $"{api}: {readers.Count} read, {writers.Count} write; {string.Join(", ", counts.Select(x => $"{x.Value} {x.Key}"))}"
        );
        Assert.That(wrong, Is.Empty);
    }

    private async Task<string> RunAsync(ToldPair pair, MethodInfo reader, MethodInfo writer, bool isChanged)
    {
        await pair.RestoreAsync();
        var told = await TryAsync(pair.Mine, reader);
        if (isChanged)
            pair.Change();
        var now = await TryAsync(pair.Theirs, reader);
        var error = await TryAsync(pair.Mine, writer);
        var isRefused = error.StartsWith($"{Outdated} ", StringComparison.Ordinal);
        if (isRefused)
            return !isChanged ? "WRONG: refused though nothing was changed"
                : pair.HasWritten ? "WRONG: refused and written"
                : "refused";
        if (!pair.HasWritten)
            return isChanged ? "wrote nothing" : "wrote nothing, undisturbed";
        return !isChanged ? "written, undisturbed"
            : told == now ? "written on what was still so"
            : $"WRONG: told {told}, was {now}";
    }

    // The type's own members with all, those that it inherits with the own ones: pairs of inherited ones are those of the base type.
    private static bool IsOwn(LocalDatabase database, MethodInfo member) =>
        database.GetType() == typeof(LocalDatabase) || member.DeclaringType == database.GetType();

    private static MethodInfo[] MembersOf(Type type) =>
        [
            .. AnyMember
                .Of(type)
                .Where(x =>
                    !x.IsSpecialName && !s_leftOut.Contains(x.Name) && s_api.Value.Contains($"{x.DeclaringType!.FullName}.{x.Name}")
                ),
        ];

    private static HashSet<string> ReadApi() =>
        [
            .. File.ReadLines(Repository.File("Duplicati.UnitTest", "Api", "api-baseline-2.3.0.109.txt"))
                .Where(x => x.Contains('(', StringComparison.Ordinal))
                .Select(x => x.TrimStart('~').Split('(')[0]),
        ];

    // The same arguments each time.
    private async Task<string> TryAsync(LocalDatabase database, MethodInfo member)
    {
        try
        {
            return await new AnyMember(m_seed).CallAsync(database, member);
        }
        catch (SqliteException ex)
        {
            return $"{ex.SqliteExtendedErrorCode} {ex.Message}";
        }
        catch (Exception ex)
        {
            return $"{ex.GetType().Name} {ex.Message}";
        }
    }
}
