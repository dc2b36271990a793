using Duplicati.Library.Main;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Main.Blocks;
using Microsoft.Data.Sqlite;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>
/// A caller's own statement fails and makes the engine roll back: what members write next must be in a transaction, not durable row by row,
/// and what they had accepted before must be gone as a whole.
/// </summary>
[TestFixture]
internal sealed class ForeignRollbackTests
{
    private static readonly Dictionary<string, Func<BackupFixture, Task>> s_members = new()
    {
        ["short"] = backup => backup.Database.RegisterRemoteVolumeAsync("later", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default),
        ["long"] = backup => backup.Database.UpdateRemoteVolumeAsync("first", RemoteVolumeState.Verified, 7, "hash", default),
        ["row"] = async backup => await backup.Database.AddBlockAsync(BlockFixture.Hash(9), 10, backup.VolumeId, default),
        ["message"] = backup => backup.Database.LogMessageAsync("Error", "text", null, default),
    };

    private static IEnumerable<string> Members => s_members.Keys;

    [TestCaseSource(nameof(Members))]
    public async Task What_a_member_writes_next_is_not_durable_before_the_commit(string member)
    {
        await using var backup = await BackupFixture.CreateAsync();
        await backup.AddVolumeAsync("first", RemoteVolumeType.Blocks);
        await backup.Database.CommitAsync(default);
        var before = Committed(backup);
        RollBackByConflict(backup);

        await s_members[member](backup);
        Assert.That(backup.Database.Session.Statements.IsAutoCommit, Is.False, "a transaction is open");
        Assert.That(Committed(backup), Is.EqualTo(before));

        await backup.Database.CommitAsync(default);
        Assert.That(Committed(backup), Is.Not.EqualTo(before));
    }

    [Test]
    public async Task What_was_accepted_before_is_not_committed_in_part()
    {
        await using var backup = await BackupFixture.CreateAsync();
        await AddBlocksAsync(backup);
        RollBackByConflict(backup);

        Assert.That(() => backup.Database.CommitAsync(default), Throws.InvalidOperationException);
        Assert.That(backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.Zero);
        await AddBlocksAsync(backup);
        await backup.Database.CommitAsync(default);
        Assert.That(backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(3));
    }

    private static async Task AddBlocksAsync(BackupFixture backup)
    {
        for (var i = 0; i < 3; i++)
            Assert.That(await backup.Database.AddBlockAsync(BlockFixture.Hash(i), 10, backup.VolumeId, default), Is.True);
    }

    private static void RollBackByConflict(BackupFixture backup)
    {
        Assert.That(() => backup.Execute("""INSERT OR ROLLBACK INTO "Configuration" ("Key", "Value") VALUES ('a', ''), ('a', '')"""), Throws.TypeOf<SqliteException>());
        Assert.That(backup.Database.Session.Statements.IsAutoCommit, Is.True, "the engine has rolled back");
    }

    private static string Committed(BackupFixture backup)
    {
        string[] tables = ["Remotevolume", "Block", "Blockset", "BlocksetEntry", "LogData", "Operation"];
        var counts = tables.Select(table => backup.Committed($"""SELECT COUNT(*) FROM "{table}" """));
        return string.Join(' ', counts) + ' ' + backup.Committed("""SELECT SUM("Size") FROM "Remotevolume" """);
    }
}
