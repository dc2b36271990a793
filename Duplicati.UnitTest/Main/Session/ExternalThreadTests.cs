// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Backup;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>
/// A process in which one call chain calls members while other threads run bare commands on the same connection, or members of an object
/// that is disposed. Arguments: what the members are, seconds, a seed. It prints what happened how often; what is thrown through the
/// engine ends it.
/// </summary>
internal sealed partial class ExternalThreads : IChildProgram
{
    internal const string Disposals = "disposals";
    internal const string Hashes = "hashes";
    internal const string Members = "members";
    internal const string Transactions = "transactions";

    private const string MemberOfDisposed = "member beside a disposal";

    private static readonly string[] s_asking = ["SELECT 1", """SELECT COUNT(*) FROM "Block" """];
    private static readonly string[] s_changing =
    [
        """UPDATE "Configuration" SET "Value" = "Value" """,
        """DELETE FROM "LogData" """,
        "SAVEPOINT other",
        "RELEASE other",
    ];

    private readonly ConcurrentDictionary<string, int> m_counts = [];
    private readonly int m_seed;
    private volatile bool m_isOver;

    private ExternalThreads(int seed) => m_seed = seed;

    public static int Run(string[] args)
    {
        var seconds = int.Parse(args[1], CultureInfo.InvariantCulture);
        using var guard = new Timer(
            static _ => Environment.FailFast("It hangs."),
            null,
            TimeSpan.FromSeconds(60 + (10 * seconds)),
            Timeout.InfiniteTimeSpan
        );
        var threads = new ExternalThreads(int.Parse(args[2], CultureInfo.InvariantCulture));
        var run = args[0] switch
        {
            Disposals => threads.DisposalsAsync(seconds),
            Hashes => threads.HashesAsync(seconds),
            Transactions => threads.TransactionsAsync(seconds),
            _ => threads.MembersAsync(seconds),
        };
        run.GetAwaiter().GetResult();
        foreach (var (what, count) in threads.m_counts.OrderBy(x => x.Key, StringComparer.Ordinal))
            Console.WriteLine($"{count} {what}");
        return 0;
    }

    private async Task DisposalsAsync(int seconds)
    {
        await using var sample = await BackupFixture.CreateAsync();
        await sample.AddContentAsync([.. Enumerable.Range(1, 200)]);
        await sample.Database.CommitAsync(default);
        await sample.Database.DisposeAsync();
        for (var begin = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(begin).TotalSeconds < seconds; )
        {
            var calls = 0;
            await DisposeBesideAsync(
                sample,
                owner =>
                    [
                        async () => await owner.GetBlocksAsync(sample.VolumeId, default).CountAsync(),
                        async () => await owner.GetBlocklistsAsync(sample.VolumeId, BackupFixture.Blocksize, 32, default).CountAsync(),
                    ]
            );
            await DisposeBesideAsync(
                sample,
                owner =>
                    [
                        () =>
                            owner.RegisterRemoteVolumeAsync(
                                $"later {++calls}",
                                RemoteVolumeType.Blocks,
                                RemoteVolumeState.Temporary,
                                default
                            ),
                        () => owner.LogMessageAsync("Error", "text", null, default),
                    ]
            );
        }
    }

    private async Task DisposeBesideAsync(BackupFixture sample, Func<LocalDatabase, Func<Task>[]> members)
    {
        var owner = await LocalDatabase.CreateLocalDatabaseAsync(sample.Path, "Test", true, null, default);
        var calls = m_counts.GetValueOrDefault(MemberOfDisposed);
        var others = members(owner).Select(member => new Thread(() => RepeatUntilItFails(member))).ToList();
        others.ForEach(thread => thread.Start());
        Wait.Until(() => m_counts.GetValueOrDefault(MemberOfDisposed) > calls + 2, "members are at work");
        owner.Dispose();
        others.ForEach(thread => Wait.ForEnd(thread, "a thread with members"));
        if (
            sample.Committed(
                """SELECT (SELECT COUNT(*) FROM "Remotevolume" WHERE "Name" LIKE 'later%') + (SELECT COUNT(*) FROM "LogData")"""
            ) > 0
        )
            Count("durable without a commit");
    }

    private void RepeatUntilItFails(Func<Task> member)
    {
        var isOver = false;
        while (!isOver)
        {
            isOver = true;
            Try(
                MemberOfDisposed,
                () =>
                {
                    member().GetAwaiter().GetResult();
                    isOver = false;
                }
            );
        }
    }

    private async Task HashesAsync(int seconds)
    {
        using var folder = new TestFolder();
        await using var db = await LocalRestoreDatabase.CreateAsync(folder.File("local.sqlite"), null, default);
        // The more statements the database object holds, the longer one that looks through them takes.
        for (var i = 0; i < 20_000; i++)
            db.Session.Statements.Take(string.Create(CultureInfo.InvariantCulture, $"SELECT {i}")).Dispose();
        await BesideAsync(
            db,
            ["SELECT 1"],
            3,
            seconds,
            () =>
                TryAsync(
                    "tables",
                    async () =>
                    {
                        await db.CreateRestoredHashesTableAsync("Hashes", default);
                        await db.DropRestoredHashesTableAsync("Hashes", default);
                    }
                )
        );
    }

    // Each conflict makes the engine roll back and call the provider's hook, while the provider sets and removes it for each transaction.
    private async Task TransactionsAsync(int seconds)
    {
        using var folder = new TestFolder();
        await using var db = await LocalDatabase.CreateLocalDatabaseAsync(folder.File("local.sqlite"), "Test", true, null, default);
        await BesideAsync(
            db,
            ["""INSERT OR ROLLBACK INTO "Version" ("ID", "Version") SELECT "ID", 0 FROM "Version" """],
            2,
            seconds,
            async () =>
            {
                await TryAsync("commit", () => db.Transaction.CommitAsync(default));
                await TryAsync("rollback", () => db.Transaction.RollBackAsync(default));
            }
        );
    }

    private async Task MembersAsync(int seconds)
    {
        await using var sample = await BackupFixture.CreateAsync();
        for (var i = 0; i < 6; i++)
            await sample.AddFileAsync($"/a{i}", i);
        await sample.Database.CommitAsync(default);
        foreach (var (name, open) in ApiTypes())
        {
            var path = Path.Combine(Path.GetDirectoryName(sample.Path)!, name + ".sqlite");
            File.Copy(sample.Path, path);
            // The end of an object fails, too, if a bare command has made the engine roll its transaction back.
            await TryAsync($"end of {name}", () => ApiAsync(name, path, open, seconds));
        }
    }

    private async Task ApiAsync(string name, string path, Func<string, LocalDatabase, Task<LocalDatabase>> open, int seconds)
    {
        var any = new AnyMember(m_seed);
        var random = new Random(m_seed);
        await using var owner = await LocalDatabase.CreateLocalDatabaseAsync(path, "List", true, null, default);
        await using var db = await open(path, owner);
        var members = AnyMember.Of(db.GetType());
        m_counts[$"members of {name}"] = members.Length;
        await BesideAsync(
            db,
            [.. s_asking, .. s_changing],
            2,
            seconds,
            () => TryAsync($"call of {name}", () => any.CallAsync(db, members[random.Next(members.Length)]))
        );
    }

    /// <summary>How each database object is opened: by itself, or on the connection of another.</summary>
    internal static Dictionary<string, Func<string, LocalDatabase, Task<LocalDatabase>>> ApiTypes() =>
        new()
        {
            ["Backup"] = async (_, owner) => await LocalBackupDatabase.CreateAsync(owner, new Options([]), null, default),
            ["BugReport"] = async (path, _) => await LocalBugReportDatabase.CreateAsync(path, null, default),
            ["Delete"] = async (_, owner) => await LocalDeleteDatabase.CreateAsync(owner, null, default),
            ["ListAffected"] = async (path, _) => await LocalListAffectedDatabase.CreateAsync(path, null, default),
            ["ListBrokenFiles"] = async (_, owner) => await LocalListBrokenFilesDatabase.CreateAsync(owner, null, default),
            ["ListChanges"] = async (path, _) => await LocalListChangesDatabase.CreateAsync(path, null, default),
            ["List"] = async (path, _) => await LocalListDatabase.CreateAsync(path, null, default),
            ["Lock"] = async (_, owner) => await LocalLockDatabase.CreateAsync(owner, default),
            ["Purge"] = async (_, owner) => await LocalPurgeDatabase.CreateAsync(owner, null, default),
            ["Recreate"] = async (_, owner) => await LocalRecreateDatabase.CreateAsync(owner, new Options([]), null, default),
            ["Repair"] = async (_, owner) => await LocalRepairDatabase.CreateAsync(owner, null, default),
            ["Restore"] = async (_, owner) => await LocalRestoreDatabase.CreateAsync(owner, null, default),
            ["Test"] = async (_, owner) => await LocalTestDatabase.CreateAsync(owner, null, default),
        };

    private async Task BesideAsync(LocalDatabase db, string[] texts, int threads, int seconds, Func<Task> step)
    {
        m_isOver = false;
        var others = Enumerable
            .Range(0, threads)
            .Select(number => new Thread(() => RunBare(db, texts, new Random(m_seed + number))))
            .ToList();
        others.ForEach(thread => thread.Start());
        for (var begin = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(begin).TotalSeconds < seconds; )
            await step();
        m_isOver = true;
        others.ForEach(thread => Wait.ForEnd(thread, "a thread with bare commands"));
    }

    // Each command is made once: the provider's list of commands is not made for several threads.
    private void RunBare(LocalDatabase db, string[] texts, Random random)
    {
        SqliteCommand[] commands;
        lock (db)
            commands = [.. texts.Select(text => new SqliteCommand(text, db.Session.Connection))];
        while (!m_isOver)
        {
            var command = commands[random.Next(commands.Length)];
            Try(
                "bare command",
                () =>
                {
                    command.Transaction = db.Transaction.Transaction;
                    command.ExecuteNonQuery();
                }
            );
        }
    }

    private void Try(string name, Action action)
    {
        try
        {
            action();
            Count(name);
        }
        catch (Exception ex)
        {
            Count($"{name} failed: {Describe(ex)}");
        }
    }

    private async Task TryAsync(string name, Func<Task> action)
    {
        try
        {
            await action();
            Count(name);
        }
        catch (Exception ex)
        {
            Count($"{name} failed: {Describe(ex)}");
        }
    }

    private static string Describe(Exception ex) =>
        ex is SqliteException error
            ? $"SQLite {error.SqliteErrorCode}"
            : $"{ex.GetType().Name} {Number().Replace(ex.Message.ReplaceLineEndings(" "), "#")}";

    [GeneratedRegex("[0-9]+")]
    private static partial Regex Number();

    private void Count(string what) => m_counts.AddOrUpdate(what, 1, static (_, count) => count + 1);
}

/// <summary>
/// Bare commands of other threads on the connection of a database object, while its members run, and members of other threads while it is
/// disposed. An exception in one of the engine's callbacks would end the process, so each case runs in one of its own. The long run:
/// <c>dotnet test Duplicati.UnitTest -c Release --filter "TestCategory=Long&amp;FullyQualifiedName~ExternalThreadTests"</c>.
/// </summary>
[TestFixture]
internal sealed class ExternalThreadTests
{
    [TestCase(3)]
    [TestCase(120, Explicit = true, Category = LongRun.Category)]
    public void A_table_that_is_made_and_dropped_beside_bare_commands_ends_no_process(int seconds) => Run(ExternalThreads.Hashes, seconds);

    [TestCase(3)]
    [TestCase(120, Explicit = true, Category = LongRun.Category)]
    public void A_transaction_that_ends_while_the_engine_rolls_back_for_a_bare_command_ends_no_process(int seconds) =>
        Run(ExternalThreads.Transactions, seconds);

    [TestCase(1)]
    [TestCase(60, Explicit = true, Category = LongRun.Category)]
    public void No_member_of_any_API_type_is_broken_by_bare_commands_beside_it(int secondsEach) =>
        Run(ExternalThreads.Members, secondsEach);

    [TestCase(3)]
    [TestCase(120, Explicit = true, Category = LongRun.Category)]
    [Contract("A 1.2 disposal")]
    [Contract("A 1.3 case 1")]
    public void Members_beside_the_disposal_of_the_owner_fail_without_a_crash_and_leave_nothing(int seconds) =>
        Assert.That(Run(ExternalThreads.Disposals, seconds), Does.Not.Contain("durable").And.Contain("ObjectDisposedException"));

    private static string Run(string what, int seconds)
    {
        var seed = LongRun.Seed();
        var (exitCode, output, error) = ChildProcess.Run<ExternalThreads>(
            what,
            seconds.ToString(CultureInfo.InvariantCulture),
            seed.ToString(CultureInfo.InvariantCulture)
        );
        TestContext.Out.WriteLine(output);
        Assert.That(exitCode, Is.Zero, error);
        Assert.That(
            output,
            Does.Not.Match("NullReference|IndexOutOfRange|KeyNotFound|InvalidCast|Collection was modified"),
            "what a broken structure looks like"
        );
        return output;
    }
}
