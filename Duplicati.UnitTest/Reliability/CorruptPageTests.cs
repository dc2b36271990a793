// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Text.RegularExpressions;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Library.Interface;
using Duplicati.UnitTest.Engine.Operations;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Reliability;

/// <summary>
/// Copies of a database that backups made, with 1 to 64 bytes changed somewhere. The long run:
/// <c>dotnet test Duplicati.UnitTest -c Release --filter "TestCategory=Long&amp;FullyQualifiedName~CorruptPageTests"</c>.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed partial class CorruptPageTests
{
    private const string Told = "told";
    private const string Refused = "refused";
    private const string Unharmed = "unharmed";

    private static readonly string[] s_expected = [Told, Refused, Unharmed];
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(30);

    [TestCase(100)]
    [TestCase(10_000, Explicit = true, Category = LongRun.Category)]
    public async Task A_verify_tells_of_damage_or_of_nothing_that_could_be_known(int copies)
    {
        copies = LongRun.Count(copies);
        var random = new Random(LongRun.Seed());
        using var backup = await BackupAsync(random);
        var whole = await File.ReadAllBytesAsync(backup.Options.DatabasePath);
        var outcomes = new SortedDictionary<string, int>(StringComparer.Ordinal);
        for (var i = 0; i < copies; i++)
        {
            var (damaged, offset, length) = Damage(whole, random);
            var outcome = await OutcomeAsync(backup, damaged);
            outcomes[outcome] = outcomes.GetValueOrDefault(outcome) + 1;
            if (!s_expected.Contains(outcome))
                TestContext.Out.WriteLine($"{length} bytes at {offset}: {outcome}");
        }

        TestContext.Out.WriteLine(string.Join(", ", outcomes.Select(x => $"{x.Key}: {x.Value}")));
        // Of a hundred copies none need be refused; of thousands some are.
        Assert.That(outcomes.Keys, copies < 1000 ? Is.SubsetOf(s_expected).And.Contains(Told) : Is.EquivalentTo(s_expected));
    }

    [TestCase(1)]
    [TestCase(50, Explicit = true, Category = LongRun.Category)]
    public async Task A_verify_tells_of_damage_to_any_byte_of_the_settings(int values)
    {
        var random = new Random(LongRun.Seed());
        using var backup = await BackupAsync(random);
        var whole = await File.ReadAllBytesAsync(backup.Options.DatabasePath);
        var root = RootPage(backup.Options.DatabasePath, "Configuration");
        var begin = checked((int)((root.Page - 1) * root.Size));
        // Where the rows begin, says the head of the page.
        var rows = BinaryPrimitives.ReadUInt16BigEndian(whole.AsSpan(begin + 5));
        foreach (var offset in Enumerable.Range(begin + rows, checked((int)root.Size) - rows).SelectMany(x => Enumerable.Repeat(x, values)))
        {
            var damaged = (byte[])whole.Clone();
            damaged[offset] ^= (byte)random.Next(1, 256);
            Assert.That(
                await OutcomeAsync(backup, damaged),
                Is.AnyOf([.. s_expected]),
                $"{damaged[offset]} instead of {whole[offset]} at {offset}"
            );
        }
    }

    [TestCase(50)]
    [TestCase(5_000, Explicit = true, Category = LongRun.Category)]
    public async Task A_listing_fails_only_with_an_error_that_names_the_file(int copies)
    {
        copies = LongRun.Count(copies);
        var random = new Random(LongRun.Seed());
        using var backup = await BackupAsync(random);
        var whole = await File.ReadAllBytesAsync(backup.Options.DatabasePath);
        for (var i = 0; i < copies; i++)
        {
            var copy = backup.File("copy.sqlite");
            var (damaged, offset, length) = Damage(whole, random);
            File.WriteAllBytes(copy, damaged);
            var listing = new DatabaseListing(copy, "default");
            try
            {
                foreach (var version in await listing.VersionsAsync(default).WaitAsync(s_limit))
                    await listing.FolderAsync(backup.Source, (int)version.Version, default).WaitAsync(s_limit);
            }
            catch (Exception ex)
            {
                Assert.That(ex, Is.InstanceOf<SqliteException>().Or.InstanceOf<UserInformationException>(), $"{length} bytes at {offset}");
                if (ex is SqliteException)
                    Assert.That(ex.Message, Does.Contain(copy), $"{length} bytes at {offset}");
            }

            Remove(copy);
        }
    }

    [Test]
    public async Task A_damaged_table_is_named()
    {
        using var backup = await BackupAsync(new Random(1));
        var path = backup.Options.DatabasePath;
        var root = RootPage(path, "BlocksetEntry");
        using (var file = new FileStream(path, FileMode.Open))
        {
            // The type of the page, and what follows it.
            file.Position = (root.Page - 1) * root.Size;
            file.Write([0x77, 0x77, 0x77, 0x77]);
        }

        var problems = await VerifyAsync(backup, path);

        Assert.That(problems, Has.Some.Contains(path).And.Some.Contains("table BlocksetEntry"));
    }

    [TestCase("Fileset", "IsFullBackup", "fileset has no column isfullbackup")]
    [TestCase("FileLookup", "MetadataID", "File")]
    [TestCase("File", "BlocksetID", "File")]
    public async Task Damage_within_the_text_of_the_schema_is_told(string name, string column, string expected)
    {
        using var backup = await BackupAsync(new Random(1));
        var path = backup.Options.DatabasePath;
        using (var connection = Databases.Open(path))
        {
            connection.Execute(
                $"PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, '{column}', 'X' || substr('{column}', 2)) WHERE name = '{name}'"
            );
        }

        IReadOnlyList<string> told;
        try
        {
            told = await VerifyAsync(backup, path);
        }
        catch (UserInformationException ex)
        {
            told = [ex.Message];
        }

        Assert.That(told, Is.Not.Empty.And.All.Contains(path));
        Assert.That(told, Has.Some.Contains(expected).IgnoreCase);
    }

    private static async Task<BackupCase> BackupAsync(Random random)
    {
        var backup = new BackupCase(x => x with { VolumeSize = 400 * 1024 });
        SourceTree.Make(backup.Source, random);
        await backup.BackUpAsync();
        SourceTree.Change(backup.Source, random);
        await backup.BackUpAsync();
        return backup;
    }

    private static (byte[] Damaged, long Offset, int Length) Damage(byte[] whole, Random random)
    {
        var damaged = (byte[])whole.Clone();
        var length = random.Next(1, 65);
        var offset = random.Next(whole.Length - length);
        for (var i = offset; i < offset + length; i++)
            damaged[i] ^= (byte)random.Next(1, 256);
        return (damaged, offset, length);
    }

    /// <returns>One of the expected outcomes, or what else happened.</returns>
    private static async Task<string> OutcomeAsync(BackupCase backup, byte[] damaged)
    {
        // What is compared afterwards is a copy that nothing has opened.
        var (copy, pristine) = (backup.File("copy.sqlite"), backup.File("pristine.sqlite"));
        await File.WriteAllBytesAsync(copy, damaged);
        await File.WriteAllBytesAsync(pristine, damaged);
        try
        {
            var problems = await VerifyAsync(backup, copy);
            if (problems.Count > 0)
                return Told;
            var differences = Databases.Compare(backup.Options.DatabasePath, pristine);
            return Known(differences.Select(x => x.Expected)).SequenceEqual(Known(differences.Select(x => x.Actual)))
                ? Unharmed
                : $"nothing told of {string.Join(", ", differences)}";
        }
        catch (UserInformationException ex) when (ex.Message.Contains(copy, StringComparison.Ordinal))
        {
            return Refused;
        }
        catch (Exception ex)
        {
            return ex.ToString();
        }
        finally
        {
            Remove(copy);
        }
    }

    // Times of entries, hashes of blocklists and the size of volumes are stored once, in no index; nothing in the file says that they are
    // wrong.
    // The names of hash functions and of a module are read in any case.
    private static IEnumerable<string> Known(IEnumerable<string?> elements) =>
        elements.OfType<string>().Select(x => Tolerated().Replace(x, "")).Order(StringComparer.Ordinal);

    private static async Task<IReadOnlyList<string>> VerifyAsync(BackupCase backup, string database)
    {
        var options = backup.Options with { DatabasePath = database };
        return (
            await Task.Run(() => new VerifyOperation(options, SilentProgress.Instance).RunAsync(false, default)).WaitAsync(s_limit)
        ).Problems;
    }

    private static (long Page, long Size) RootPage(string path, string table)
    {
        using var connection = PlainConnection.Open(path, SqliteOpenMode.ReadOnly);
        return (
            DumpQuery.Number(connection, $"SELECT \"rootpage\" FROM \"sqlite_master\" WHERE \"name\" = '{table}'"),
            DumpQuery.Number(connection, "PRAGMA page_size")
        );
    }

    private static void Remove(string database)
    {
        foreach (var file in Directory.GetFiles(Path.GetDirectoryName(database)!, Path.GetFileName(database) + "*"))
            File.Delete(file);
    }

    [GeneratedRegex(
        """-?\d+\](?=[,\]]|$)|"blocklist_hashes": \[.*?\], (?="blocks_digest")|(?<=dblock-size=)\d+$|(?<=(hash|module)=)(?i:sha256|zip)$"""
    )]
    private static partial Regex Tolerated();
}
