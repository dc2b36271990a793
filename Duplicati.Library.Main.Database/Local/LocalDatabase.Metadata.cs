#nullable enable

using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Metadata;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalDatabase
{
    /// <summary>A blockset that can stand in for metadata lost with some volumes, -1 if there is none.</summary>
    /// <param name="blockVolumeIds">The ids of the missing volumes.</param>
    /// <param name="emptyHash">The full hash of empty metadata.</param>
    /// <param name="emptyHashSize">The length of empty metadata in bytes.</param>
    /// <param name="token">Cancels.</param>
    public Task<long> GetEmptyMetadataBlocksetIdAsync(IEnumerable<long> blockVolumeIds, string emptyHash, long emptyHashSize, CancellationToken token) =>
        Session.LongAsync(blockVolumeIds, (session, ids) => EmptyMetadataReads.Find(session, ids, emptyHash, emptyHashSize), token);
}
