// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Indexes;

namespace Duplicati.UnitTest.SQLiteHelper.Indexes;

[TestFixture]
public class ProcessMarkTests
{
    [Test]
    public void This_process_is_alive_until_it_gives_the_mark_back()
    {
        var (first, second) = (ProcessMark.Take(), ProcessMark.Take());
        Assert.That(ProcessMark.IsAlive(first), Is.True);
        ProcessMark.Release(first);
        Assert.That((ProcessMark.IsAlive(first), ProcessMark.IsAlive(second)), Is.EqualTo((false, true)));
        Assert.That(ProcessMark.IsAlive(string.Join(' ', second.Split(' ')[..2])), Is.True, "as marks without a serial number were");
        ProcessMark.Release(second);
    }

    [Test]
    public void A_process_with_the_same_id_that_started_at_another_time_is_another_one() =>
        Assert.That(ProcessMark.IsAlive(Environment.ProcessId + " 5"), Is.False);

    [TestCase(null)]
    [TestCase("")]
    [TestCase("x y")]
    [TestCase("2147483647 5")]
    [TestCase("1 2 3")]
    public void Anything_else_is_not_alive(string? mark) => Assert.That(ProcessMark.IsAlive(mark), Is.False);
}
