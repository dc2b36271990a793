#nullable enable

using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Verify;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalDatabase
{
    /// <summary>Checks that the tables fit together. Reads only; linear. A repeated check of an unchanged database returns at once.</summary>
    /// <param name="blocksize">Size of a full block in bytes.</param>
    /// <param name="hashsize">Size of a block digest in bytes.</param>
    /// <param name="verifyfilelists">Whether every entry of a fileset must come out in a list volume.</param>
    /// <param name="token">Stops the check.</param>
    /// <exception cref="Interface.DatabaseInconsistencyException">The first check that failed; help id FilesetDifferences for file lists.</exception>
    public Task VerifyConsistencyAsync(long blocksize, long hashsize, bool verifyfilelists, CancellationToken token) =>
        VerifyAsync(new ConsistencyScope(blocksize, hashsize, Volumes: true, verifyfilelists), token);

    /// <summary>As <see cref="VerifyConsistencyAsync"/>, but filesets without a list volume and list volumes without a fileset are no error.</summary>
    public Task VerifyConsistencyForRepairAsync(long blocksize, long hashsize, bool verifyfilelists, CancellationToken token) =>
        VerifyAsync(new ConsistencyScope(blocksize, hashsize, Volumes: false, verifyfilelists), token);

    private Task VerifyAsync(ConsistencyScope scope, CancellationToken token) =>
        Session.LongAsync(session => ConsistencyCheck.Run(session, scope, token), token);
}
