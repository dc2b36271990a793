// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;
using System.Security.Cryptography;
using Duplicati.Engine.Data;

namespace Duplicati.UnitTest.Engine.Data;

[TestFixture]
public sealed class SourceGeneratorTests
{
    private static readonly SourceOptions s_options = new()
    {
        TotalBytes = 3_000_001,
        Files = 75,
        MaxFileBytes = 400_000,
        SparsePercent = 30,
        Seed = 5,
    };

    [Test]
    public async Task Total_count_and_longest_file_are_as_asked_for()
    {
        using var folder = new TestFolder();
        await SourceGenerator.GenerateAsync(folder.Path, s_options, default);
        var files = Files(folder);
        Assert.That(files, Has.Count.EqualTo(75));
        Assert.That(files.Sum(file => file.Length), Is.EqualTo(3_000_001));
        Assert.That(files.Max(file => file.Length), Is.LessThanOrEqualTo(400_000));
        Assert.That(Directory.GetDirectories(folder.Path, "*", SearchOption.AllDirectories), Has.Length.GreaterThan(2));
    }

    [Test]
    public async Task The_same_seed_gives_the_same_tree_and_another_seed_another()
    {
        using var first = new TestFolder();
        using var second = new TestFolder();
        using var other = new TestFolder();
        await SourceGenerator.GenerateAsync(first.Path, s_options, default);
        await SourceGenerator.GenerateAsync(second.Path, s_options, default);
        await SourceGenerator.GenerateAsync(other.Path, s_options with { Seed = 6 }, default);
        Assert.That(Describe(second), Is.EqualTo(Describe(first)));
        Assert.That(Describe(other), Is.Not.EqualTo(Describe(first)));
    }

    [Test]
    public async Task Content_does_not_compress_beyond_its_zeros()
    {
        using var folder = new TestFolder();
        await SourceGenerator.GenerateAsync(folder.Path, s_options, default);
        var zeros = 0L;
        using var packed = new MemoryStream();
        using (var deflate = new DeflateStream(packed, CompressionLevel.Fastest, leaveOpen: true))
        {
            foreach (var file in Files(folder))
            {
                var content = await File.ReadAllBytesAsync(file.FullName);
                zeros += content.LongCount(x => x == 0);
                deflate.Write(content);
            }
        }

        // Random bytes are zero once in 256.
        Assert.That(zeros / 3_000_001.0, Is.InRange(0.29, 0.32));
        Assert.That(packed.Length / 3_000_001.0, Is.InRange(0.69, 0.75));
    }

    [Test]
    public void Sizes_fill_up_to_the_brim([Values(1, 2, 3)] int seed)
    {
        var sizes = SourceGenerator.Sizes(
            new SourceOptions
            {
                TotalBytes = 1000,
                Files = 10,
                MaxFileBytes = 100,
                Seed = seed,
            }
        );
        Assert.That(sizes, Is.All.EqualTo(100));
    }

    [Test]
    public void Empty_files_can_be_asked_for() =>
        Assert.That(SourceGenerator.Sizes(new SourceOptions { TotalBytes = 0, Files = 3 }), Is.All.Zero);

    [Test]
    public void Options_that_contradict_each_other_are_refused()
    {
        using var folder = new TestFolder();
        Assert.ThrowsAsync<ArgumentOutOfRangeException>(() =>
            SourceGenerator.GenerateAsync(folder.Path, s_options with { MaxFileBytes = 100 }, default)
        );
        Assert.That(folder.Files(), Is.Empty);
    }

    [Test]
    public void Every_file_has_a_path_of_its_own() => Assert.That(Enumerable.Range(0, 50_000).Select(SourceGenerator.PathOf), Is.Unique);

    private static List<FileInfo> Files(TestFolder folder) =>
        [.. new DirectoryInfo(folder.Path).EnumerateFiles("*", SearchOption.AllDirectories)];

    private static List<string> Describe(TestFolder folder) =>
        [
            .. Files(folder)
                .Select(file =>
                    $"{Path.GetRelativePath(folder.Path, file.FullName)} {file.LastWriteTimeUtc:O} {Convert.ToHexString(SHA256.HashData(File.ReadAllBytes(file.FullName)))}"
                )
                .Order(StringComparer.Ordinal),
        ];
}
