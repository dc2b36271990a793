// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Recreate;

/// <summary>The end of a recreate: whether the database is whole, by contract B, 4.2 step 17.</summary>
internal static class RebuildCheck
{
    /// <summary>Checks, and takes the mark of an unfinished repair away.</summary>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseIsBrokenConsiderPurge</c>, and those of an inconsistent database; the
    /// mark stays.</exception>
    internal static async Task RunAsync(LocalRecreateDatabase recreate, VolumeFormat format, CancellationToken token)
    {
        var broken = await LocalListBrokenFilesDatabase.CreateAsync(recreate, null, token).ConfigureAwait(false);
        await using (broken.ConfigureAwait(false))
        {
            var count = await broken.GetBrokenFilesetsAsync(new DateTime(0), null, token).CountAsync(token).ConfigureAwait(false);
            if (count != 0)
                throw new UserInformationException(
                    $"The recreated database has missing blocks and {SizeText.Count(count, "broken file list")}. {Advice.LostBlocks()}",
                    "DatabaseIsBrokenConsiderPurge"
                );
        }

        await recreate.VerifyConsistencyAsync(format.Blocksize, format.BlockHash.DigestSize, true, token).ConfigureAwait(false);
        await recreate.RepairInProgressAsync(token, false).ConfigureAwait(false);
    }
}
