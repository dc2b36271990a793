// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

public sealed class FilesetTests : LocalDatabaseTestBase
{
    private static readonly DateTime s_time = new(2024, 5, 6, 7, 8, 9, DateTimeKind.Utc);

    // Filesets 1, 2, 3 at s_time, + 1 hour, + 2 hours: version 0 is id 3.
    private async Task CreateThree()
    {
        for (var i = 0; i < 3; i++)
        {
            var volume = await Db.RegisterRemoteVolumeAsync($"l{i}", RemoteVolumeType.Files, RemoteVolumeState.Uploaded, default);
            Assert.That(await Db.CreateFilesetAsync(volume, s_time.AddHours(i), default), Is.EqualTo(i + 1));
        }
    }

    private Task<List<long>> Ids(DateTime time, long[]? versions, bool single) =>
        ListAsync(Db.GetFilesetIDsAsync(time, versions, single, default));

    [Test]
    [Contract("A 1.4 row 8")]
    [Contract("A 1.5 row 3")]
    [Contract("A 6.7 FilesetTimesAsync")]
    public async Task Times_are_local_and_newest_first()
    {
        await CreateThree();

        var times = await ListAsync(Db.FilesetTimesAsync(default));

        Assert.That(times.Select(x => x.Key), Is.EqualTo(new[] { 3L, 2, 1 }));
        Assert.That(times.Select(x => x.Value.ToUniversalTime()), Is.EqualTo(new[] { s_time.AddHours(2), s_time.AddHours(1), s_time }));
        Assert.That(times[0].Value.Kind, Is.EqualTo(DateTimeKind.Local));
    }

    [TestCase("INSERT INTO FilesetEntry (FilesetID, FileID, Lastmodified) VALUES (40, 1, 0)")]
    [TestCase(
        "INSERT INTO ChangeJournalData (FilesetID, VolumeName, JournalID, NextUsn, ConfigHash) VALUES (40, 'v', 1, 1, 'c'), (3, 'v', 1, 1, 'c')"
    )]
    public async Task A_new_fileset_does_not_get_an_id_that_something_names(string names)
    {
        await CreateThree();
        Execute(names);

        var fourth = await Db.CreateFilesetAsync(1, s_time.AddHours(3), default);
        var fifth = await Db.CreateFilesetAsync(1, s_time.AddHours(4), default);

        Assert.That((fourth, fifth), Is.EqualTo((41, 42)));
    }

    [Test]
    [Contract("A 6.7 CreateFilesetAsync")]
    public async Task A_new_fileset_is_partial_has_whole_seconds_and_is_not_committed()
    {
        await Db.CreateFilesetAsync(4, s_time.AddMilliseconds(999).ToLocalTime(), default);

        Assert.That(
            Scalar("SELECT VolumeID || ':' || IsFullBackup || ':' || Timestamp FROM Fileset"),
            Is.EqualTo($"4:0:{new DateTimeOffset(s_time).ToUnixTimeSeconds()}")
        );
        Assert.That(Committed("SELECT COUNT(*) FROM Fileset"), Is.EqualTo("0"));
    }

    [Test]
    [Contract("A 6.7 UpdateFullBackupStateInFilesetAsync")]
    [Contract("A 6.7 IsFilesetFullBackupAsync")]
    [Contract("A 6.16 BackupType")]
    public async Task The_full_mark_can_be_set_and_asked_for_by_second()
    {
        await CreateThree();
        await Db.UpdateFullBackupStateInFilesetAsync(2, true, default);

        Assert.That(await Db.IsFilesetFullBackupAsync(s_time.AddHours(1), default), Is.True);
        Assert.That(await Db.IsFilesetFullBackupAsync(s_time, default), Is.False);
        Assert.That(await Db.IsFilesetFullBackupAsync(s_time.AddYears(1), default), Is.False);

        await Db.UpdateFullBackupStateInFilesetAsync(2, false, default);
        Assert.That(await Db.IsFilesetFullBackupAsync(s_time.AddHours(1), default), Is.False);
    }

    [Test]
    [Contract("A 6.7 LinkFilesetToVolumeAsync")]
    public async Task Linking_needs_an_existing_fileset()
    {
        await CreateThree();
        await Db.LinkFilesetToVolumeAsync(1, 77, default);

        Assert.That(Scalar("SELECT VolumeID FROM Fileset WHERE ID = 1"), Is.EqualTo("77"));
        Assert.That(() => Db.LinkFilesetToVolumeAsync(9, 77, default), Throws.TypeOf<Exception>());
    }

    [Test]
    [Contract("A 6.7 ClearFilesetEntriesAsync")]
    public async Task Clearing_removes_the_entries_of_one_fileset()
    {
        Execute("INSERT INTO FilesetEntry VALUES (1, 1, 0), (1, 2, 0), (2, 1, 0)");

        await Db.ClearFilesetEntriesAsync(1, default);

        Assert.That(Scalar("SELECT group_concat(FilesetID) FROM FilesetEntry"), Is.EqualTo("2"));
    }

    [Test]
    [Contract("A 6.7 PushTimestampChangesToPreviousVersionAsync")]
    public async Task Pushing_times_changes_shared_files_of_the_newest_other_fileset_only()
    {
        await CreateThree();
        Execute("INSERT INTO FilesetEntry VALUES (1, 1, 5), (2, 1, 6), (2, 2, 7), (3, 1, 99), (3, 3, 88)");

        await Db.PushTimestampChangesToPreviousVersionAsync(3, default);

        Assert.That(
            Scalar(
                "SELECT group_concat(FilesetID || '/' || FileID || '=' || Lastmodified) FROM (SELECT * FROM FilesetEntry ORDER BY FilesetID, FileID)"
            ),
            Is.EqualTo("1/1=5,2/1=99,2/2=7,3/1=99,3/3=88")
        );
    }

    [Test]
    public async Task Time_chooses_the_same_second_or_everything_until_then()
    {
        await CreateThree();

        Assert.That(await Ids(s_time.AddHours(1), null, true), Is.EqualTo(new[] { 2L }));
        Assert.That(await Ids(s_time.AddHours(1).AddMilliseconds(5), null, false), Is.EqualTo(new[] { 2L, 1 }));
        Assert.That(await Ids(s_time.AddHours(1).ToLocalTime(), null, true), Is.EqualTo(new[] { 2L }));
    }

    [Test]
    [Contract("A 13 Q10")]
    public async Task Time_and_versions_are_alternatives_and_repeated_versions_count_once()
    {
        await CreateThree();

        Assert.That(await Ids(s_time, [0, 0], true), Is.EqualTo(new[] { 3L, 1 }));
        Assert.That(await Ids(default(DateTime).ToUniversalTime(), [2], false), Is.EqualTo(new[] { 1L }));
    }

    [Test]
    public async Task A_version_that_does_not_exist_is_skipped_with_a_warning()
    {
        await CreateThree();
        using var log = new LogCapture();

        Assert.That(await Ids(new DateTime(0, DateTimeKind.Utc), [1, 7, -1], false), Is.EqualTo(new[] { 2L }));
        Assert.That(log.WarningsAndErrors.Select(x => x.Id), Is.EqualTo(new[] { "SkipInvalidVersion", "SkipInvalidVersion" }));
    }

    [Test]
    [Contract("A 6.7 GetFilesetIDsAsync")]
    [Contract("A 13 Q20")]
    public async Task Without_a_match_all_are_given_with_a_warning()
    {
        await CreateThree();
        using var log = new LogCapture();

        Assert.That(await Ids(s_time.AddYears(-1), null, false), Is.EqualTo(new[] { 3L, 2, 1 }));
        Assert.That(log.WarningsAndErrors.Select(x => x.Id), Is.EqualTo(new[] { "RestoreTimeNoMatch" }));
    }

    [Test]
    public void Without_any_fileset_the_user_is_told() => Assert.That(() => Ids(s_time, null, false), Refused.HelpId("NoBackupAtDate"));

    [Test]
    [Contract("A 6.7 FindMatchingFilesetsAsync")]
    [Contract("A 13 Q21")]
    public async Task Exact_matches_may_be_none_and_are_all_without_a_criterion()
    {
        await CreateThree();

        Assert.That(await Db.FindMatchingFilesetsAsync(s_time.AddYears(-1), null, default), Is.Empty);
        Assert.That(await Db.FindMatchingFilesetsAsync(new DateTime(0, DateTimeKind.Utc), null, default), Is.EqualTo(new[] { 3L, 2, 1 }));
        Assert.That(await Db.FindMatchingFilesetsAsync(s_time, null, default), Is.EqualTo(new[] { 1L }));
    }

    [Test]
    [Contract("A 1.5 unspecified kind")]
    public void A_time_of_unspecified_kind_is_refused()
    {
        var time = new DateTime(2024, 1, 1, 0, 0, 0, DateTimeKind.Unspecified);

        Assert.That(() => Ids(time, null, true), Throws.TypeOf<Exception>());
        Assert.That(() => Db.FindMatchingFilesetsAsync(time, null, default), Throws.TypeOf<Exception>());
        Assert.That(() => Db.GetFilelistWhereClauseAsync(time, null, null, true, default), Throws.TypeOf<Exception>());
    }

    [Test]
    [Contract("A 1.4 laziness")]
    public void A_list_of_ids_is_lazy() =>
        Assert.That(() => Db.GetFilesetIDsAsync(new DateTime(1, DateTimeKind.Unspecified), null, true, default), Throws.Nothing);

    [Test]
    [Contract("A 6.7 GetFilelistWhereClauseAsync")]
    public async Task The_where_clause_selects_the_same_filesets()
    {
        await CreateThree();

        var (query, values) = await Db.GetFilelistWhereClauseAsync(s_time, [0, 0], null, true, default);

        using var command = Db.Connection.CreateCommand();
        command
            .SetCommandAndParameters("SELECT group_concat(ID) FROM (SELECT ID FROM Fileset" + query + " ORDER BY ID)")
            .SetParameterValues(values);
        Assert.That(command.ExecuteScalar(), Is.EqualTo("1,3"));
    }

    [Test]
    public async Task The_where_clause_is_empty_without_a_criterion_and_takes_ids_from_a_given_list()
    {
        Assert.That(
            await Db.GetFilelistWhereClauseAsync(default, null, null, false, default),
            Is.EqualTo(("", new Dictionary<string, object?>()))
                .Using<(string Query, Dictionary<string, object?> Values)>((a, b) => a.Query == b.Query && a.Values.Count == b.Values.Count)
        );

        var (query, values) = await Db.GetFilelistWhereClauseAsync(default, [1], [new(5, default), new(4, default)], false, default);

        Assert.That(query, Does.StartWith(" WHERE "));
        Assert.That(values, Is.EqualTo(new Dictionary<string, object?> { ["@Fileset1"] = 4L }));
    }

    [Test]
    [Contract("A 6.7 GetIncompleteFilesetsAsync")]
    [Contract("A 6.7 GetLastIncompleteFilesetVolumeAsync")]
    public async Task Incomplete_filesets_have_entries_and_a_list_that_was_not_uploaded()
    {
        await CreateThree();
        Execute(
            "UPDATE Remotevolume SET State = 'Uploading' WHERE Name = 'l0'; UPDATE Remotevolume SET State = 'Temporary' WHERE Name <> 'l0'; INSERT INTO FilesetEntry VALUES (1, 1, 0), (2, 1, 0), (2, 2, 0)"
        );

        var incomplete = await ListAsync(Db.GetIncompleteFilesetsAsync(default));

        Assert.That(incomplete.Select(x => x.Key), Is.EquivalentTo(new[] { 1L, 2 }));
        Assert.That(incomplete[0].Value.Kind, Is.EqualTo(DateTimeKind.Local));
        Assert.That((await Db.GetLastIncompleteFilesetVolumeAsync(default)).Name, Is.EqualTo("l1"));
    }

    [Test]
    [Contract("A 6.7 GetLastIncompleteFilesetVolumeAsync")]
    public async Task Without_an_incomplete_fileset_there_is_no_volume()
    {
        await CreateThree();
        Execute("INSERT INTO FilesetEntry VALUES (1, 1, 0)");

        Assert.That(await Db.GetLastIncompleteFilesetVolumeAsync(default), Is.EqualTo(default(RemoteVolumeEntry)));
    }
}
