// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Data;

namespace Duplicati.UnitTest.Engine.Data;

[TestFixture]
[Platform("Linux")]
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
public sealed class MetadataApplierTests : FolderTestBase
{
    private static readonly DateTime s_time = new DateTime(2020, 9, 14, 20, 31, 24, DateTimeKind.Utc).AddTicks(1234567);

    [Test]
    public void A_file_gets_permissions_time_and_attributes_back()
    {
        var source = MakeFile("source");
        File.SetUnixFileMode(source, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead);
        File.SetLastWriteTimeUtc(source, s_time);
        var blob = Copied(source);

        var target = MakeFile("target");
        Assert.That(MetadataApplier.Apply(target, blob, withPrivileges: false), Is.Empty);

        Assert.That(File.GetUnixFileMode(target), Is.EqualTo(File.GetUnixFileMode(source)));
        Assert.That(File.GetLastWriteTimeUtc(target), Is.EqualTo(s_time));
        Assert.That(Copied(target).Values[MetadataBlob.OwnerAndModeKey], Is.EqualTo(blob.Values[MetadataBlob.OwnerAndModeKey]));
    }

    [Test]
    public void Extended_attributes_go_with_the_file()
    {
        var source = MakeFile("source");
        if (!UnixFile.SetExtendedAttribute(source, "user.comment", "hello"u8.ToArray()))
            Assert.Ignore("The file system of temporary files has no extended attributes");
        var target = MakeFile("target");
        Assert.That(MetadataApplier.Apply(target, Copied(source), withPrivileges: false), Is.Empty);
        Assert.That(Copied(target).Values["unix-ext:user.comment"], Is.EqualTo("aGVsbG8="));
    }

    [Test]
    public void A_folder_is_described_as_one()
    {
        var path = Directory.CreateDirectory(Folder.File("folder")).FullName + Path.DirectorySeparatorChar;
        Assert.That(Copied(path).Attributes, Is.EqualTo(FileAttributes.Directory));
        var blob = new MetadataBlob();
        blob.Set(MetadataBlob.LastWriteKey, s_time);
        Assert.That(MetadataApplier.Apply(path, blob, withPrivileges: false), Is.Empty);
        Assert.That(Directory.GetLastWriteTimeUtc(path), Is.EqualTo(s_time));
    }

    [Test]
    public void A_link_is_described_by_itself_and_its_target_is_left_alone()
    {
        var target = MakeFile("target");
        File.SetLastWriteTimeUtc(target, s_time);
        File.SetUnixFileMode(target, UnixFileMode.UserRead);
        var link = File.CreateSymbolicLink(Folder.File("link"), "target").FullName;
        var blob = Copied(link);
        Assert.That(blob.SymlinkTarget, Is.EqualTo("target"));
        Assert.That(blob.Attributes!.Value.HasFlag(FileAttributes.ReparsePoint), Is.True);

        blob.Set(MetadataBlob.LastWriteKey, s_time.AddDays(1));
        blob.Set(MetadataBlob.OwnerAndModeKey, "0-0-511");
        Assert.That(MetadataApplier.Apply(link, blob, withPrivileges: false), Is.Empty);

        Assert.That(File.GetLastWriteTimeUtc(target), Is.EqualTo(s_time));
        Assert.That(File.GetUnixFileMode(target), Is.EqualTo(UnixFileMode.UserRead));
        Assert.That(new FileInfo(link).LastWriteTimeUtc, Is.EqualTo(s_time.AddDays(1)));
    }

    [Test]
    public void A_dangling_link_has_metadata_too()
    {
        var link = File.CreateSymbolicLink(Folder.File("link"), "no/such/target").FullName;
        Assert.That(Copied(link).SymlinkTarget, Is.EqualTo("no/such/target"));
    }

    [Test]
    public void What_cannot_be_applied_is_told()
    {
        var blob = new MetadataBlob();
        blob.Set("unix-ext:no-such-namespace.x", "AA==");
        Assert.That(
            MetadataApplier.Apply(MakeFile("file"), blob, withPrivileges: false),
            Has.Count.EqualTo(1).And.One.Contains("no-such-namespace.x")
        );
    }

    [Test]
    public void A_missing_file_is_an_error() => Assert.Throws<FileNotFoundException>(() => Copied(Folder.File("nothing")));

    private static MetadataBlob Copied(string path)
    {
        Assert.That(MetadataBlob.TryParse(new MetadataReader().Read(path).ToBytes(), out var blob), Is.True);
        return blob;
    }

    private string MakeFile(string name)
    {
        File.WriteAllText(Folder.File(name), name);
        return Folder.File(name);
    }
}
