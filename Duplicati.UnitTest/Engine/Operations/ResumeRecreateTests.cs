// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Text;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>A recreate that was interrupted goes on where it was, if what it left and the remote folder still fit.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class ResumeRecreateTests
{
    private const string Version = """SELECT MAX("Version") FROM "Version" """;
    private const string Schema =
        """SELECT "type", "name", "sql" FROM "sqlite_master" WHERE "name" NOT LIKE 'sqlite_stat%' ORDER BY 1, 2""";

    private RecreateCase m_case = null!;

    [SetUp]
    public async Task Make() => m_case = await RecreateCase.MakeAsync(new Random(41));

    [TearDown]
    public void Remove() => m_case.Dispose();

    [Test]
    public async Task Interrupted_at_any_volume_it_goes_on_and_reads_none_again_that_was_done()
    {
        var reads = 0;
        var told = new List<string>();
        m_case.Backup.Warnings.OnMessage = told.Add;
        for (var at = 1; at <= m_case.Volumes; at += 3)
        {
            reads = (await m_case.InterruptAsync(at)).Length;
            var done = RecreateCase.Done(m_case.Database);
            Assert.That(done, Has.Length.GreaterThanOrEqualTo(reads - RecreateCase.MostInFlight), $"interrupted at {at}");
            var (report, fetched) = await m_case.RecreateAsync();
            Assert.That(fetched.Intersect(done), Is.Empty, $"interrupted at {at}");
            Assert.That(fetched.Length + done.Length, Is.EqualTo(m_case.Volumes), $"interrupted at {at}");
            Assert.That(report.Kept, Is.EqualTo(done.Length));
            if (done.Length > 0)
                Assert.That(
                    told,
                    Has.Member($"Going on with an interrupted recreate, which has read {SizeText.Count(done.Length, "volume")}")
                );
            m_case.AssertComplete($"interrupted at {at}");
            File.Delete(m_case.Database);
        }

        Assert.That(reads, Is.GreaterThan(m_case.Volumes / 2));
    }

    [Test]
    public async Task Blocks_of_another_hash_than_their_files_are_known_again()
    {
        m_case.Dispose();
        m_case = await RecreateCase.MakeAsync(new Random(42), change: x => x with { BlockHash = "SHA512", FileHash = "SHA256" });
        for (var at = 2; at <= m_case.Volumes; at += 4)
        {
            await m_case.InterruptAsync(at);
            await m_case.RecreateAsync();
            m_case.AssertComplete($"interrupted at {at}");
            File.Delete(m_case.Database);
        }
    }

    [Test]
    public async Task Interrupted_while_the_indexes_of_a_large_database_are_built_it_builds_those_that_are_missing()
    {
        await m_case.RecreateAsync();
        var schema = SampleDatabase.Rows(m_case.Database, Schema);
        await using (var database = await LocalDatabase.CreateLocalDatabaseAsync(m_case.Database, "Recreate", true, null, default))
        {
            // Few are built at the end whatever happens before.
            database.Session.Execute(
                $"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= {DeferredIndexes.RowsBuiltWhenGivingUp}) INSERT INTO Block (Hash, Size, VolumeID) SELECT 'block ' || i, 1, (SELECT MAX(VolumeID) FROM Block) FROM n"
            );
            await new RecreateMark { Prefix = m_case.Backup.Options.PrefixOrDefault, IsRead = true }
                .With(new VolumeFormat { Blocksize = m_case.Backup.Options.BlockSize!.Value })
                .StoreAsync(database, default);
            database.Session.Execute(
                """CREATE TABLE "RecreateVolume" ("Name" TEXT PRIMARY KEY NOT NULL, "Size" INTEGER NOT NULL, "IsDone" INTEGER NOT NULL) WITHOUT ROWID"""
            );
            foreach (var volume in new DirectoryInfo(m_case.Backup.Remote).GetFiles())
                database.Session.Execute($"""INSERT INTO "RecreateVolume" VALUES ('{volume.Name}', {volume.Length}, 1)""");
            await database.CommitAsync(default);
            DeferredIndexes.Of(database.Session).DropAll();
            database.Session.Execute("UPDATE DeferredIndex SET Sql = '1 5' WHERE Name = ''");
            await database.CommitAsync(default);
        }

        Assert.That(SampleDatabase.Rows(m_case.Database, Version), Is.EqualTo(new[] { "1019" }));
        var (report, fetched) = await m_case.RecreateAsync();
        Assert.That((fetched, report.Problems), Is.EqualTo((Array.Empty<string>(), 0)));
        Assert.That(SampleDatabase.Rows(m_case.Database, Version), Is.EqualTo(new[] { "19" }));
        Assert.That(SampleDatabase.Rows(m_case.Database, Schema), Is.EqualTo(schema));
        Assert.That(UnfinishedRecreate.Is(m_case.Database), Is.False);
    }

    [Test]
    public async Task Interrupted_again_and_again_it_comes_to_its_end()
    {
        var done = 0;
        while (done < m_case.Volumes - 12)
        {
            await m_case.InterruptAsync(12);
            var now = RecreateCase.Done(m_case.Database).Length;
            Assert.That(now, Is.GreaterThan(done));
            done = now;
        }

        await m_case.RecreateAsync();
        m_case.AssertComplete("at the end");
    }

    [Test]
    public async Task A_folder_that_goes_away_costs_nothing_of_what_was_read()
    {
        var fetched = 0;
        void Fetching(string name)
        {
            if (Interlocked.Increment(ref fetched) > m_case.Volumes / 2)
                throw new RemoteFolderMissingException(m_case.Backup.Remote);
        }

        Assert.That(async () => await m_case.Operation(Fetching).RunAsync(default), Throws.InstanceOf<RemoteFolderMissingException>());

        var done = RecreateCase.Done(m_case.Database);
        Assert.That(done, Has.Length.GreaterThanOrEqualTo((m_case.Volumes / 2) - RecreateCase.MostInFlight));
        Assert.That((await m_case.RecreateAsync()).Report.Kept, Is.EqualTo(done.Length));
        m_case.AssertComplete("with the folder back");
    }

    [TestCase("gone")]
    [TestCase("grown")]
    public async Task A_volume_that_was_read_and_has_changed_since_makes_it_begin_anew(string change)
    {
        await m_case.InterruptAsync(m_case.Volumes);
        var path = m_case.Backup.Volumes("dindex")[^1];
        Assert.That(RecreateCase.Done(m_case.Database), Has.Some.EqualTo(Path.GetFileName(path)));
        if (change == "gone")
            File.Delete(path);
        else
            File.AppendAllText(path, "more");

        var (report, fetched) = await m_case.RecreateAsync();
        Assert.That(m_case.Backup.Warnings.Texts, Has.One.Contains("begins again from the start").And.Contains(Path.GetFileName(path)));
        Assert.That(report.Kept, Is.Zero);
        Assert.That(fetched, Is.Unique.And.Length.GreaterThanOrEqualTo(m_case.Volumes - 1));
    }

    [Test]
    public async Task A_volume_that_has_come_is_read()
    {
        var late = await TakeAwayAsync(m_case.Backup.Volumes("dindex")[^1]);
        var (_, fetched) = await m_case.RecreateAsync();
        Assert.That(fetched, Has.One.EqualTo(Path.GetFileName(late)));
        m_case.AssertComplete("with the late one");
    }

    // An index volume that was read before has told its size and what is in it.
    [Test]
    public async Task A_block_volume_that_comes_back_is_believed_only_if_it_is_whole([Values] bool isCut)
    {
        var index = m_case.Backup.Volumes("dindex")[0];
        var volume = VolumeEdit.Described(index).Volume;
        var path = await TakeAwayAsync(volume);
        Assert.That(RecreateCase.Done(m_case.Database), Has.Some.EqualTo(Path.GetFileName(index)));
        if (isCut)
            VolumeEdit.Cut(path);

        var (report, _) = await m_case.RecreateAsync();

        Assert.That((report.Problems, report.Kept > 0), Is.EqualTo(isCut ? (1, false) : (0, true)));
        Assert.That(
            m_case.Backup.Warnings.Texts.Count(x =>
                x.Contains("begins again from the start", StringComparison.Ordinal) && x.Contains(volume, StringComparison.Ordinal)
            ),
            Is.EqualTo(isCut ? 1 : 0)
        );
        if (!isCut)
            m_case.AssertComplete("with the late one");
    }

    // Nothing was told of its size then.
    [Test]
    public async Task One_that_comes_back_and_was_described_without_its_hash_has_the_size_that_is_listed()
    {
        var index = m_case.Backup.Volumes("dindex")[0];
        var volume = VolumeEdit.Described(index).Volume;
        VolumeEdit.Rewrite(index, (name, content) => (name, name == "vol/" + volume ? WithoutHash(content) : content));
        var path = await TakeAwayAsync(volume);
        Assert.That(RecreateCase.Done(m_case.Database), Has.Some.EqualTo(Path.GetFileName(index)));

        var (report, _) = await m_case.RecreateAsync();

        Assert.That((report.Problems, report.Kept > 0), Is.EqualTo((0, true)));
        Assert.That(
            SampleDatabase.Rows(m_case.Database, $"""SELECT "Size" FROM "Remotevolume" WHERE "Name" = '{volume}'"""),
            Is.EqualTo(new[] { new FileInfo(path).Length.ToString(CultureInfo.InvariantCulture) })
        );

        static byte[] WithoutHash(byte[] content)
        {
            var text = Encoding.UTF8.GetString(content);
            return Encoding.UTF8.GetBytes(text[..text.IndexOf(",\"volumehash\"", StringComparison.Ordinal)] + "}");
        }
    }

    [Test]
    public async Task A_damaged_file_is_noticed_and_begun_anew()
    {
        await m_case.InterruptAsync(m_case.Volumes);
        // As a power loss leaves it when nothing was flushed: a page that was never written. Not one that says what the file is.
        Databases.ZeroPage(m_case.Database, "Block");
        var (report, _) = await m_case.RecreateAsync();
        Assert.That(report.Kept, Is.Zero);
        Assert.That(m_case.Backup.Warnings.Texts, Has.One.Contains("begins again from the start").And.Contains("damaged"));
        m_case.AssertComplete("anew");
    }

    [Test]
    public async Task Rows_that_are_lost_are_noticed_also_where_every_page_is_sound()
    {
        await m_case.InterruptAsync(m_case.Volumes);
        Databases.Execute(m_case.Database, """DELETE FROM "Block" WHERE "ID" BETWEEN 20 AND 40""");

        var (report, _) = await m_case.RecreateAsync();
        Assert.That(report.Kept, Is.Zero);
        m_case.AssertComplete("anew");
    }

    [Test]
    public async Task Other_options_are_refused_and_nothing_is_lost()
    {
        await m_case.InterruptAsync(m_case.Volumes);
        var done = RecreateCase.Done(m_case.Database);
        AssertRefused(x => x with { Prefix = "other" }, "PrefixChangeUnsupported");
        AssertRefused(x => x with { BlockSize = 2048 }, "InvalidManifest");
        AssertRefused(x => x with { Remote = m_case.Backup.File("nowhere") }, "FolderMissing");
        Directory.CreateDirectory(m_case.Backup.File("empty"));
        AssertRefused(x => x with { Remote = m_case.Backup.File("empty") }, "EmptyRemoteLocation");
        Assert.That(RecreateCase.Done(m_case.Database), Is.EqualTo(done));
        await m_case.RecreateAsync();
        m_case.AssertComplete("with the right ones");
    }

    [Test]
    public async Task The_prefix_need_not_be_given_again()
    {
        using var other = await RecreateCase.MakeAsync(new Random(43), files: 1, x => x with { Prefix = "other" });
        await other.InterruptAsync(other.Volumes);
        var (report, _) = await other.RecreateAsync(change: x => x with { Prefix = null });
        Assert.That(report.Kept, Is.Positive);
        other.AssertComplete("of its prefix");
    }

    [Test]
    public async Task Two_at_once_are_refused()
    {
        UserInformationException? refused = null;
        void Fetching(string name)
        {
            if (refused is null)
                refused = Assert.ThrowsAsync<UserInformationException>(() => m_case.Operation(_ => { }).RunAsync(default));
        }

        await m_case.Operation(Fetching).RunAsync(default);
        Assert.That(refused?.HelpID, Is.EqualTo("DatabaseIsBusy"));
        m_case.AssertComplete("by the first");
    }

    [Test]
    public async Task Indexes_that_somebody_has_built_meanwhile_are_left_out_again()
    {
        await m_case.InterruptAsync(m_case.Volumes / 2);
        await using (
            await Library.Main.Database.Local.LocalDatabase.CreateLocalDatabaseAsync(m_case.Database, "Other", true, null, default)
        )
            Assert.That(
                SampleDatabase.Rows(m_case.Database, "SELECT 1 FROM \"sqlite_master\" WHERE \"name\" = 'BlockHashSize'"),
                Has.Length.EqualTo(1)
            );
        var (_, fetched) = await m_case.RecreateAsync();
        Assert.That(fetched, Has.Length.LessThan(m_case.Volumes));
        m_case.AssertComplete("at the end");
    }

    // For the first half of a recreate. Gives its path.
    private async Task<string> TakeAwayAsync(string volume)
    {
        var (path, aside) = (Path.Combine(m_case.Backup.Remote, volume), m_case.Backup.File("late"));
        File.Move(path, aside);
        await m_case.InterruptAsync(m_case.Volumes / 2);
        File.Move(aside, path);
        return path;
    }

    private void AssertRefused(Func<EngineOptions, EngineOptions> change, string helpId) =>
        Assert.That(Assert.CatchAsync<UserInformationException>(() => m_case.RecreateAsync(change: change))!.HelpID, Is.EqualTo(helpId));
}
