// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.Versioning;
using Duplicati.Engine.Common;
using Duplicati.Engine.Data;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Restore;
using Duplicati.Library.Main.Operation.Restore;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Engine.Restore;

/// <summary>
/// What is restored is its owner's alone until it has its own permissions, and gives nobody rights that nobody asked for.
/// </summary>
[TestFixture]
[Platform("Linux")]
[SupportedOSPlatform("linux")]
internal sealed class RestoredMetadataTests : FolderTestBase
{
    private const UnixFileMode PrivateFile = UnixFileMode.UserRead | UnixFileMode.UserWrite;
    private const UnixFileMode PrivateFolder = PrivateFile | UnixFileMode.UserExecute;
    private const UnixFileMode Shared = PrivateFolder | UnixFileMode.GroupRead | UnixFileMode.OtherRead | UnixFileMode.OtherExecute;

    private MetadataSpool m_spool = null!;

    [SetUp]
    public void SetUp() => m_spool = new MetadataSpool(Folder.Path);

    [TearDown]
    public void TearDown() => m_spool.Dispose();

    // A file list may name a content of any length as metadata.
    [Test]
    public void Metadata_of_any_length_take_no_more_memory_than_they_may()
    {
        const int PartBytes = 1024 * 1024;
        var part = m_spool.Store(new byte[PartBytes]);
        for (var index = 0; index < MetadataSpool.MostBytes / PartBytes; index++)
            m_spool.Note(1, index, part);
        Assert.That(m_spool.Read(1)?.Length, Is.EqualTo(MetadataSpool.MostBytes));

        m_spool.Note(1, MetadataSpool.MostBytes / PartBytes, part);
        Assert.That(m_spool.Read(1) is null);
    }

    [Test]
    public async Task Nobody_else_can_read_anything_before_it_is_complete([Values] bool isAbandoned)
    {
        using var backup = new BackupCase(x => x with { Parallelism = 1 });
        foreach (var name in new[] { "private/secret", "shared/open", "shared/deep/open", "top" })
            SourceTree.Write(backup.Source, name, 60_000, new Random(name.Length));
        File.SetUnixFileMode(Path.Combine(backup.Source, "private"), PrivateFolder);
        File.SetUnixFileMode(Path.Combine(backup.Source, "private/secret"), PrivateFile);
        foreach (var name in new[] { "shared", "shared/deep", "shared/open", "shared/deep/open", "top" })
            File.SetUnixFileMode(Path.Combine(backup.Source, name), Shared);
        await backup.BackUpAsync();
        var target = backup.File("target");
        var looks = 0;
        var watching = WarningList.AtVolumes(() =>
        {
            looks++;
            foreach (
                var entry in new DirectoryInfo(target)
                    .EnumerateFileSystemInfos("*", SearchOption.AllDirectories)
                    .Append(new DirectoryInfo(target))
            )
                Assert.That(entry.UnixFileMode, Is.EqualTo(entry is DirectoryInfo ? PrivateFolder : PrivateFile), entry.FullName);
            if (isAbandoned && looks == 4)
                throw new InvalidOperationException("four volumes are enough");
        });

        var restore = new RestoreOperation(backup.Options, watching).RunAsync(target, new RestoreChoices(), default);
        if (isAbandoned)
        {
            Assert.That(() => restore, Throws.InstanceOf<InvalidOperationException>());
            // They got their names in the same way as at the end of every restore: nothing is done to files after that.
            var named = Directory.GetFiles(target, "*", SearchOption.AllDirectories);
            Assert.That(named, Is.Not.Empty);
            foreach (var file in named)
                Assert.That(
                    File.GetUnixFileMode(file),
                    Is.EqualTo(File.GetUnixFileMode(Path.Combine(backup.Source, Path.GetRelativePath(target, file))))
                        .Or.EqualTo(PrivateFile),
                    file
                );
        }
        else
        {
            Assert.That((await restore).Failed, Is.Empty);
            Assert.That(SourceTree.Describe(target), Is.EqualTo(SourceTree.Describe(backup.Source)));
        }

        Assert.That(looks, Is.GreaterThanOrEqualTo(4));
    }

    [Test]
    public void A_file_has_its_permissions_and_times_before_it_has_its_name()
    {
        var (plan, _, writer, _) = Make();
        var made = AddFile(
            plan,
            1,
            Metadata((MetadataBlob.OwnerAndModeKey, $"0-0-{(int)Shared}"), (MetadataBlob.LastWriteKey, $"{DateTime.UnixEpoch.Ticks}"))
        );
        writer.Seal(1, Folder.File("file"));
        Assert.That((File.GetUnixFileMode(made), File.GetLastWriteTimeUtc(made)), Is.EqualTo((Shared, DateTime.UnixEpoch)));
    }

    // Of another system nothing says that it is private, of lost metadata, or what stands for them after a purge, it may have.
    [TestCase("""{"CoreAttributes":"Archive"}""", true)]
    [TestCase("""{"unix:uid-gid-perm":"no numbers"}""", true)]
    [TestCase("{}", false)]
    [TestCase(null, false)]
    public void What_has_no_permissions_in_the_backup_gets_those_of_anything_new_and_what_lost_them_stays_private(
        string? metadata,
        bool isNew
    )
    {
        var (plan, folders, writer, warnings) = Make();
        for (var id = 1; id <= 3; id++)
            AddFile(plan, id, metadata is null ? null : System.Text.Encoding.UTF8.GetBytes(metadata));
        Assert.That(folders.TryMake(Folder.File("target/listed")) && folders.TryMake(Folder.File("target/not listed")), Is.True);
        plan.Folders.Add((4, Folder.File("target/listed")));
        if (metadata is not null)
            m_spool.Note(4, 0, m_spool.Store(System.Text.Encoding.UTF8.GetBytes(metadata)));
        for (var id = 1; id <= 3; id++)
            writer.Seal(id, Folder.File($"{id}"));
        writer.Apply();

        File.WriteAllText(Folder.File("new"), "");
        var (file, folder) = (File.GetUnixFileMode(Folder.File("new")), Directory.CreateDirectory(Folder.File("new folder")).UnixFileMode);
        Assert.That(File.GetUnixFileMode(plan.Paths[1]), Is.EqualTo(isNew ? file : PrivateFile));
        Assert.That(File.GetUnixFileMode(Folder.File("target/listed")), Is.EqualTo(isNew ? folder : PrivateFolder));
        Assert.That(File.GetUnixFileMode(Folder.File("target/not listed")), Is.EqualTo(folder));
        Assert.That(warnings.Texts, isNew ? Is.Empty : Has.Count.EqualTo(1).And.One.Contains("and 3 others"));
    }

    [TestCase("user.comment", true)]
    [TestCase("security.capability", false)]
    [TestCase("security.selinux", false)]
    [TestCase("trusted.overlay.opaque", false)]
    public void Attributes_that_give_rights_are_not_restored_unasked(string attribute, bool isHarmless)
    {
        // A capability of version 2: CAP_NET_BIND_SERVICE.
        byte[] value = [1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        if (!UnixFile.SetExtendedAttribute(Folder.Path, "user.comment", value))
            Assert.Ignore("The file system of temporary files has no extended attributes");
        var blob = Metadata(("unix-ext:" + attribute, Convert.ToBase64String(value)));
        foreach (var withPrivileges in new[] { false, true })
        {
            var (plan, _, writer, warnings) = Make(withPrivileges);
            var made = AddFile(plan, withPrivileges ? 1 : 0, blob);
            writer.Seal(withPrivileges ? 1 : 0, Folder.File("file"));
            writer.Apply();
            var isThere = UnixFile.ExtendedAttributes(made).Any(x => x.Key == attribute);
            if (isHarmless)
                Assert.That((isThere, warnings.Texts.Count), Is.EqualTo((true, 0)));
            else if (withPrivileges)
                Assert.That(
                    isThere || warnings.Texts.Any(x => x.Contains($"'{attribute}' could not be set", StringComparison.Ordinal)),
                    Is.True
                );
            else
                Assert.That(
                    (isThere, warnings.Texts.Single(x => x.Contains("--restore-privileges", StringComparison.Ordinal)).Length > 0),
                    Is.EqualTo((false, true))
                );
        }
    }

    [TestCase("a\0b")]
    [TestCase("\0")]
    [TestCase("tooLong")]
    public void A_link_that_no_system_has_is_left_out_alone(string leadsTo)
    {
        var (plan, _, writer, warnings) = Make();
        foreach (
            var (id, name, link) in new[]
            {
                (1L, "a", "fine"),
                (2L, "b", leadsTo == "tooLong" ? new string('x', 5000) : leadsTo),
                (3L, "c", "fine"),
            }
        )
        {
            plan.Symlinks.Add((id, Folder.File("target/" + name)));
            m_spool.Note(id, 0, m_spool.Store(Metadata((MetadataBlob.SymlinkTargetKey, link))));
        }

        Assert.That(writer.Apply(), Is.EqualTo(2));
        Assert.That(plan.LeftOut, Is.EqualTo(new[] { Folder.File("target/b") }));
        Assert.That(warnings.Texts, Has.Count.EqualTo(1).And.One.StartsWith($"Left out the symbolic link {Folder.File("target/b")}"));
        Assert.That(Directory.GetFileSystemEntries(Folder.File("target")), Has.Length.EqualTo(2));
    }

    [Test]
    public void A_link_without_a_target_fails([Values(null, "{}", """{"CoreAttributes":"Archive"}""")] string? metadata)
    {
        var (plan, _, writer, warnings) = Make();
        plan.Symlinks.Add((1, Folder.File("target/link")));
        if (metadata is not null)
            m_spool.Note(1, 0, m_spool.Store(System.Text.Encoding.UTF8.GetBytes(metadata)));

        Assert.That(writer.Apply(), Is.Zero);
        Assert.That(plan.LeftOut, Is.EqualTo(new[] { Folder.File("target/link") }));
        Assert.That(warnings.Texts, Has.Count.EqualTo(1).And.One.Contains("names no target"));
    }

    // What is not told apart by its case is the same link, or file, by both names.
    [Test]
    public void What_is_restored_is_not_replaced_by_a_link_of_the_same_list([Values] bool isLink)
    {
        var (plan, _, writer, warnings) = Make();
        var (first, second) = (Folder.File("target/name"), Folder.File("target/Name"));
        File.CreateSymbolicLink(second, "mine");
        plan.Replaced.UnionWith([1, 3]);
        if (isLink)
        {
            File.CreateSymbolicLink(first, "mine");
            AddLink(1, first, "first");
            AddLink(2, Folder.File("target/none"), "");
            warnings.OnWarning = text =>
            {
                if (!text.StartsWith("Left out", StringComparison.Ordinal))
                    return;
                File.Delete(second);
                File.CreateSymbolicLink(second, "first");
            };
        }
        else
        {
            File.WriteAllText(first, "content");
            plan.Files.Add(1, new FileRequest(1, "", first, "", 7, 1));
            plan.Keep(1, first);
            File.Delete(second);
            Assert.That(UnixFile.Link(first, second), Is.True);
        }

        AddLink(3, second, "second");
        Assert.That(writer.Apply(), Is.EqualTo(isLink ? 2 : 1));
        Assert.That(new FileInfo(second).LinkTarget, Is.EqualTo(isLink ? "first" : null));
        Assert.That(
            new FileInfo(Directory.GetFileSystemEntries(Folder.File("target"), "Name.2*").Single()).LinkTarget,
            Is.EqualTo("second")
        );

        void AddLink(long id, string path, string leadsTo)
        {
            plan.Symlinks.Add((id, path));
            m_spool.Note(id, 0, m_spool.Store(Metadata((MetadataBlob.SymlinkTargetKey, leadsTo))));
        }
    }

    private (RestorePlan Plan, TargetFolders Folders, MetadataWriter Writer, WarningList Warnings) Make(bool withPrivileges = false)
    {
        var (plan, target, warnings) = (new RestorePlan(), new RestoreTarget(Folder.File("target")), new WarningList());
        var folders = new TargetFolders(target.Root);
        return (
            plan,
            folders,
            new MetadataWriter(plan, target, folders, (m_spool, Folder.Path), warnings, DateTime.UtcNow, withPrivileges),
            warnings
        );
    }

    private string AddFile(RestorePlan plan, long id, byte[]? metadata)
    {
        var made = Folder.File($"made-{id}");
        File.WriteAllText(made, "content");
        File.SetUnixFileMode(made, PrivateFile);
        plan.Paths.Add(id, made);
        plan.Files.Add(id, new FileRequest(id, "", made, "", 7, 1));
        if (metadata is not null)
            m_spool.Note(id, 0, m_spool.Store(metadata));
        return made;
    }

    private static byte[] Metadata(params (string Key, string Value)[] values)
    {
        var blob = new MetadataBlob();
        foreach (var (key, value) in values)
            blob.Set(key, value);
        return blob.ToBytes();
    }
}
