using Duplicati.Library.Main.Database.Session;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Session;

[TestFixture]
public class ProcessMarkTests
{
    [Test]
    public void This_process_is_alive() => Assert.That(ProcessMark.IsAlive(ProcessMark.Current()), Is.True);

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
