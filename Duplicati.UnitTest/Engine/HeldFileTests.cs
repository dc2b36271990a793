using Duplicati.Engine.Common;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Engine;

/// <summary>What is in the way of taking a file.</summary>
[TestFixture]
internal sealed class HeldFileTests
{
    private TestFolder m_folder = null!;

    private string FilePath => m_folder.File("held/lock");

    [SetUp]
    public void SetUp()
    {
        m_folder = new TestFolder();
        Directory.CreateDirectory(m_folder.File("held"));
    }

    [TearDown]
    public void TearDown() => m_folder.Dispose();

    [Test]
    public void A_file_that_another_one_holds_is_not_taken()
    {
        using var first = HeldFile.TryTake(FilePath);
        Assert.That(first, Is.Not.Null);
        Assert.That(HeldFile.TryTake(FilePath), Is.Null);
    }

    [Test]
    [Platform("Linux")]
    public void A_file_that_its_last_holder_removes_is_made_anew_and_taken()
    {
        var opened = 0;
        using (var taken = HeldFile.TryTake(FilePath, () => RemoveOnce(ref opened)))
        {
            Assert.That((taken is null, opened), Is.EqualTo((false, 2)));
            Assert.That(HeldFile.TryTake(FilePath), Is.Null);
        }

        Assert.That(File.Exists(FilePath), Is.False);
    }

    [Test]
    [Platform("Linux")]
    public void A_folder_that_goes_away_is_not_taken_for_another_holder()
    {
        using var taken = HeldFile.TryTake(FilePath, () => Directory.Move(m_folder.File("held"), m_folder.File("gone")));
        Assert.That(taken, Is.Not.Null);
    }

    [Test]
    [Platform("Linux")]
    public void A_file_that_goes_again_and_again_is_given_up()
    {
        Assert.That(HeldFile.TryTake(FilePath, () => File.Delete(FilePath)), Is.Null);
        using var taken = HeldFile.TryTake(FilePath);
        Assert.That(taken, Is.Not.Null);
    }

    private void RemoveOnce(ref int opened)
    {
        if (opened++ == 0)
            File.Delete(FilePath);
    }
}
