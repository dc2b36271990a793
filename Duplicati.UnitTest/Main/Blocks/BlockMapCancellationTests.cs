// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;
using Duplicati.UnitTest.Main.Backup;

namespace Duplicati.UnitTest.Main.Blocks;

/// <summary>A look-up that fills the map is cancelled while it reads the table: nothing half-read is believed.</summary>
[TestFixture]
public class BlockMapCancellationTests
{
    private const int Rows = 9000;

    private static IEnumerable<TestCaseData> Moments() =>
        from bytes in new[] { 1L << 30, Rows * 20L, Rows * 4L }
        from row in new[] { 4200, 8300, Rows + 4200 }
        select new TestCaseData(bytes, row);

    [TestCaseSource(nameof(Moments))]
    public async Task A_cancelled_filling_has_read_nothing(long bytes, int row)
    {
        await using var backup = await BackupFixture.CreateAsync();
        BlockOptions.Of(backup.Database.Session).MapBytes = bytes;
        backup.Fill(0, Rows);
        using var cancel = CancelAt(backup.Database.Session, row);

        // The second pass only comes where memory is scarce.
        if (Cancels(() => backup.Map.Fill(cancel.Token)))
            Assert.That((backup.Map.IsComplete, backup.Map.Tier), Is.EqualTo((false, "unloaded")));
        cancel.End();

        for (var i = 0; i < Rows + 200; i += 3)
            Assert.That(backup.Map.Find(BlockFixture.Hash(i), 1024), Is.EqualTo(i < Rows ? i + 1 : -1));
        Assert.That(backup.Map.Tier, Is.Not.EqualTo("unloaded"));
    }

    [Test]
    public async Task Members_of_a_backup_end_as_cancelled_and_answer_the_next_time()
    {
        await using var backup = await BackupFixture.CreateAsync();
        for (var i = 0; i < Rows; i++)
            await backup.Database.AddBlockAsync(BlockFixture.Hash(i), 1024, backup.VolumeId, default);
        await backup.Database.CommitAsync(default);
        string[] hashes = [BlockFixture.Hash(3), BlockFixture.Hash(4)];
        Func<CancellationToken, Task>[] members =
        [
            token => backup.Database.FindBlockIDAsync(hashes[0], 1024, token),
            token => backup.Database.AddBlockAsync(BlockFixture.Hash(Rows), 1024, backup.VolumeId, token),
            token => backup.Database.AddBlocksetAsync("full", 2048, 1024, hashes, null!, token),
        ];

        foreach (var member in members)
        {
            await backup.ReopenAsync();
            await LookUpUntilTheNextFillsAsync(backup);
            using var cancel = CancelAt(backup.Database.Session, 4200);
            var task = member(cancel.Token);
            Assert.That(task.IsCanceled, Is.True);
            cancel.End();
            Assert.That(backup.Map.IsComplete, Is.False);
            Assert.That(await backup.Database.FindBlockIDAsync(hashes[1], 1024, default), Is.EqualTo(5));
            Assert.That(backup.Number("""SELECT COUNT(*) FROM "Blockset" """), Is.Zero);
            Assert.That(backup.Number("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(Rows));
        }
    }

    private static async Task LookUpUntilTheNextFillsAsync(BackupFixture backup)
    {
        for (var i = 0; i < Rows / 8; i++)
            await backup.Database.FindBlockIDAsync(BlockFixture.Hash(i), 1024, default);
        Assert.That(backup.Map.Tier, Is.EqualTo("unloaded"));
    }

    private static CancelAtStep CancelAt(DatabaseSession session, int row) => new(session.Statements, row - 1, sql => sql == BlockSql.All);

    private static bool Cancels(Action action)
    {
        try
        {
            action();
            return false;
        }
        catch (OperationCanceledException)
        {
            return true;
        }
    }
}
