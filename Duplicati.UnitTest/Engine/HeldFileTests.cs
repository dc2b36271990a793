// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Library.Interface;

namespace Duplicati.UnitTest.Engine;

/// <summary>What is in the way of taking a file.</summary>
[TestFixture]
internal sealed class HeldFileTests : FolderTestBase
{
    private string FilePath => Folder.File("held/lock");

    [SetUp]
    public void SetUp() => Directory.CreateDirectory(Folder.File("held"));

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
        using var taken = HeldFile.TryTake(FilePath, () => Directory.Move(Folder.File("held"), Folder.File("gone")));
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

    [Test]
    [Platform("Linux")]
    public void A_file_with_something_in_it_keeps_others_out_and_stays_as_it_is()
    {
        File.WriteAllText(FilePath, "somebody's own");
        using (var taken = HeldFile.TryTake(FilePath))
        {
            Assert.That(taken!.IsHeld, Is.True);
            Assert.That(HeldFile.TryTake(FilePath), Is.Null);
        }

        Assert.That(File.ReadAllText(FilePath), Is.EqualTo("somebody's own"));
    }

    // Of two processes that may only read it, one has it, as beside its owner.
    [Test]
    [Platform("Linux")]
    [System.Runtime.Versioning.SupportedOSPlatform("linux")]
    public void A_file_of_somebody_else_keeps_others_out_as_well()
    {
        File.WriteAllBytes(FilePath, new byte[100]);
        using var other = new OtherUser(Folder.Path, Folder.File("held"));
        var run = other.Run<TakingChild>(FilePath);
        Assert.That((run.Output.Trim(), run.ExitCode), Is.EqualTo(("held, then not", 0)), run.Error);
        using (var owner = HeldFile.TryTake(FilePath))
            Assert.That(other.Run<TakingChild>(FilePath).Output.Trim(), Is.EqualTo("not, then not"));
    }

    [Test]
    [Platform("Linux")]
    [System.Runtime.Versioning.SupportedOSPlatform("linux")]
    public void A_file_that_nobody_else_may_read_is_told()
    {
        File.WriteAllBytes(FilePath, new byte[100]);
        using var other = new OtherUser(Folder.Path, Folder.File("held"));
        File.SetUnixFileMode(FilePath, UnixFileMode.None);
        Assert.That(other.Run<TakingChild>(FilePath).Output.Trim(), Is.EqualTo("LockIsNotAccessible"));
    }

    private sealed class TakingChild : IChildProgram
    {
        public static int Run(string[] args)
        {
            try
            {
                using var first = HeldFile.TryTake(args[0]);
                using var second = HeldFile.TryTake(args[0]);
                Console.WriteLine($"{Word(first)}, then {Word(second)}");
            }
            catch (UserInformationException ex)
            {
                Console.WriteLine(ex.HelpID);
            }

            return 0;
        }

        private static string Word(HeldFile? file) =>
            file is null ? "not"
            : file.IsHeld ? "held"
            : "nothing";
    }

    private void RemoveOnce(ref int opened)
    {
        if (opened++ == 0)
            File.Delete(FilePath);
    }
}
