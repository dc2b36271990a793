// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;

namespace Duplicati.UnitTest.Main.Session;

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
