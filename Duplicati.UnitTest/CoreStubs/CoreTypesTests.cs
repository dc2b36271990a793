// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Common.IO;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.ResultSerialization;
using Duplicati.UnitTest.Main.LocalDatabaseTests;

namespace Duplicati.UnitTest.CoreStubs;

[TestFixture]
[Contract("A 2 Interface and Main")]
public class CoreTypesTests
{
    [Test]
    public void An_inconsistency_has_a_help_id()
    {
        var cause = new InvalidDataException();
        Assert.That(new DatabaseInconsistencyException("m").HelpID, Is.EqualTo("DatabaseInconsistency"));
        Assert.That(new DatabaseInconsistencyException("m", "other").HelpID, Is.EqualTo("other"));
        Assert.That(
            (new DatabaseInconsistencyException("m", cause).HelpID, new DatabaseInconsistencyException("m", cause).InnerException),
            Is.EqualTo(("DatabaseInconsistency", (Exception)cause))
        );
        Assert.That(new DatabaseInconsistencyException("m", "other", cause).InnerException, Is.SameAs(cause));
        Assert.That(new DatabaseInconsistencyException("m"), Is.InstanceOf<UserInformationException>());
    }

    [Test]
    public void Stored_enums_have_fixed_names_and_numbers()
    {
        Assert.That(Enum.GetNames<TestEntryStatus>(), Is.EqualTo(new[] { "Missing", "Extra", "Modified", "Error" }));
        Assert.That(Enum.GetNames<SyncOperation>(), Is.EqualTo(new[] { "Upload", "Update", "Delete" }));
    }

    [TestCase(null, "/")]
    [TestCase("", "/")]
    [TestCase("/a/b", "/")]
    [TestCase(@"C:\a", @"\")]
    [TestCase(@"\\server\share", @"\")]
    public void The_separator_is_guessed_from_the_path(string? path, string separator) =>
        Assert.That(Util.GuessDirSeparator(path), Is.EqualTo(separator));

    [Test]
    public void A_file_can_be_closed_to_other_users()
    {
        using var folder = new TestFolder();
        var path = folder.File("secret");
        Assert.That(SystemIO.IO_OS.FileExists(path), Is.False);
        File.WriteAllText(path, "x");
        SystemIO.IO_OS.FileSetPermissionUserRWOnly(path);
        Assert.That(SystemIO.IO_OS.FileExists(path), Is.True);
        if (!OperatingSystem.IsWindows())
            Assert.That(File.GetUnixFileMode(path), Is.EqualTo(UnixFileMode.UserRead | UnixFileMode.UserWrite));
        Assert.That(SystemIO.IO_OS.IsAlternateDataStream(path), Is.False);
    }

    [TestCase(null)]
    [TestCase("")]
    [TestCase(" ")]
    public void A_file_list_refuses_entries_without_metadata(string? metahash)
    {
        var writer = new RecordingFilesetWriter();
        Assert.That(() => writer.AddDirectory("/a/", metahash, 1, null, null), Throws.ArgumentNullException);
        Assert.That(() => writer.AddSymlink("/a", metahash, 1, null, null), Throws.ArgumentNullException);
        Assert.That(
            async () => await writer.AddFileAsync("/a", "h", 1, DateTime.UtcNow, metahash, 1, null, null, 1, null, null),
            Throws.ArgumentNullException
        );
        Assert.That(writer.Lines, Is.Empty);
    }

    [Test]
    public void Results_are_written_as_one_json_object()
    {
        var json = new JsonFormatSerializer().SerializeResults(new BackupResults { AddedFiles = 3 });
        using var document = System.Text.Json.JsonDocument.Parse(json);
        Assert.That(document.RootElement.GetProperty("AddedFiles").GetInt64(), Is.EqualTo(3));
    }
}
