// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.UnitTest.SQLiteHelper.Statements;

/// <summary>
/// Another thread runs something on the connection and is in one of the engine's hooks: the garbage collector must not wait for a thread
/// that waits for the connection, because the hook waits for the collector. All of the process would stand still.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class HeldConnectionTests
{
    [TestCase("bind")]
    [TestCase("column")]
    public void A_thread_that_waits_for_the_connection_does_not_stop_the_garbage_collector(string what)
    {
        using var folder = new TestFolder();
        var (exitCode, _, error) = ChildProcess.Run(
            "timeout",
            "--signal=KILL",
            "60",
            ChildProcess.Host,
            "exec",
            ChildProcess.Program,
            typeof(Child).FullName!,
            folder.File("a.sqlite"),
            what
        );
        Assert.That(exitCode, Is.Zero, error.Length > 0 ? error : "it stood still for a minute");
    }

    private sealed unsafe class Child : IChildProgram
    {
        public static int Run(string[] args)
        {
            using var connection = Databases.Open(args[0]);
            using var statements = new StatementCache(connection);
            using var statement = statements.Take("SELECT ?1");
            statement.Bind(1, 7).Read();
            var mutex = NativeSqlite.DatabaseMutex(connection.Handle!.DangerousGetHandle());
            using var held = new ManualResetEventSlim();
            using var collected = new ManualResetEventSlim();
            using var waiting = new ManualResetEventSlim();
            var holder = new Thread(() =>
            {
                NativeSqlite.EnterMutex(mutex);
                held.Set();
                Wait.For(waiting, "the main thread is about to wait");
                // The main thread sleeps: it waits for the mutex.
                _ = SpinWait.SpinUntil(
                    static () =>
                        File.ReadAllText($"/proc/self/task/{Environment.ProcessId}/stat").Contains(") S ", StringComparison.Ordinal),
                    10_000
                );
                GC.Collect();
                collected.Set();
                NativeSqlite.LeaveMutex(mutex);
            });
            holder.Start();
            Wait.For(held, "the mutex is held");
            waiting.Set();
            if (args[1] == "bind")
            {
                using var other = statements.Prepare("SELECT ?1");
                other.Bind(1, 8);
            }
            else
            {
                _ = statement.GetInt64(0);
            }

            Wait.ForEnd(holder, "the thread that holds the mutex");
            return collected.IsSet ? 0 : 1;
        }
    }
}
