#nullable enable

using System.Threading;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Verify;

/// <summary>
/// Checks that the tables fit together. Reads only; linear in the tables, each of which is read once. A repeated check of an
/// unchanged database is answered from a mark.
/// </summary>
internal static class ConsistencyCheck
{
    /// <summary>Runs the checks in their order; the first that fails throws.</summary>
    /// <exception cref="DatabaseInconsistencyException">The database contradicts itself; help id FilesetDifferences for file lists.</exception>
    internal static void Run(DatabaseSession session, ConsistencyScope scope, CancellationToken token)
    {
        session.Flush();
        var memo = session.Service(static owner => new ConsistencyMemo(owner));
        if (memo.IsKnownGood(scope))
            return;

        BlocksetCheck.Run(session, scope, token);
        if (scope.Volumes)
            ListVolumeCheck.Run(session);
        if (scope.FileLists)
            FileListCheck.Run(session, token);
        else
            OrphanCheck.Run(session);
        memo.Remember(scope);
    }
}
