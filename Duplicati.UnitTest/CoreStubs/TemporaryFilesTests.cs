// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Utility;

namespace Duplicati.UnitTest.CoreStubs;

[TestFixture]
[Contract("A 2 TempFile")]
public class TemporaryFilesTests
{
    [Test]
    public void A_temp_file_exists_empty_and_is_removed()
    {
        string path;
        using (var file = new TempFile())
        {
            path = file;
            Assert.That(new FileInfo(path).Length, Is.Zero);
        }
        Assert.That(File.Exists(path), Is.False);
    }

    [Test]
    public void A_file_can_be_taken_into_care()
    {
        var path = Path.Combine(TempFolder.SystemTempPath, Path.GetRandomFileName());
        File.WriteAllText(path, "x");
        using (TempFile file = path)
            Assert.That((string)file, Is.EqualTo(path));
        Assert.That(File.Exists(path), Is.False);
    }

    [Test]
    public void A_temp_folder_is_removed_with_its_content()
    {
        string path;
        using (var folder = new TempFolder())
        {
            path = folder;
            File.WriteAllText(Path.Combine(path, "x"), "x");
        }
        Assert.That(Directory.Exists(path), Is.False);
    }

    [Test]
    public void Disposed_files_and_folders_have_no_path()
    {
        var file = new TempFile();
        file.Dispose();
        file.Dispose();
        Assert.That(() => (string)file, Throws.TypeOf<ObjectDisposedException>());

        var folder = new TempFolder();
        folder.Dispose();
        folder.Dispose();
        Assert.That(() => (string)folder, Throws.TypeOf<ObjectDisposedException>());
    }
}
