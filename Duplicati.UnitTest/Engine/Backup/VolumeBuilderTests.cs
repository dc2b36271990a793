// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Backup;
using Duplicati.Engine.Common;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.UnitTest.Engine.Volumes;

namespace Duplicati.UnitTest.Engine.Backup;

/// <summary>A volume that cannot be written ends its backup with what was wrong.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class VolumeBuilderTests
{
    // More than the queue takes: an addition waits when the compressor ends, or comes after it.
    [Test]
    public void A_full_temporary_folder_is_what_whoever_adds_blocks_is_told()
    {
        var format = new VolumeFormat { Blocksize = 1024, VolumeSize = 50 * 1024 };
        using var builder = new VolumeBuilder(VolumeName.New(RemoteVolumeType.Blocks, "duplicati", null), 1, format, "/dev/full");
        var failure = Assert.CatchAsync(async () =>
        {
            for (var i = 0; i < 10_000; i++)
                await builder.AddAsync(Batch(i), [0], default);
        });
        Assert.That(DiskSpace.IsExhausted(failure!), Is.True, failure!.ToString());
    }

    private static BlockBatch Batch(int number)
    {
        var stream = new PendingStream(32);
        var batch = new BlockBatch(stream, 1024, 32);
        var content = VolumeFixture.RandomBytes(new Random(number), 1024);
        content.CopyTo(batch.Reserve(1024));
        batch.Commit(1024, content.AsSpan(0, 32), isBlocklist: false);
        return batch;
    }
}
