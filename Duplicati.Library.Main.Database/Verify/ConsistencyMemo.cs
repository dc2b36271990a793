#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Verify;

/// <summary>
/// The mark "checked, and nothing changed since". It is only set and only believed while the transaction has no uncommitted
/// writes, so that what was checked is what is committed, and no rollback, whoever does it, can change it.
/// </summary>
internal sealed class ConsistencyMemo(DatabaseSession session)
{
    private ConsistencyScope m_scope;
    private Version? m_version;

    /// <summary>True if a check that covers this one succeeded on exactly the present content.</summary>
    internal bool IsKnownGood(ConsistencyScope scope) => m_version is not null && m_scope.Covers(scope) && Read() == m_version;

    /// <summary>Sets the mark after a successful check.</summary>
    internal void Remember(ConsistencyScope scope)
    {
        m_scope = scope;
        m_version = Read();
    }

    private Version? Read()
    {
        // The first pragma begins reading if nothing does yet, so all numbers belong to one snapshot.
        var data = Number(ConsistencySql.DataVersion);
        var schema = Number(ConsistencySql.SchemaVersion);
        return session.Statements.HasUncommittedWrites ? null : new Version(session.Statements.TotalChanges, data, schema);
    }

    private long Number(string pragma)
    {
        using var select = session.TakeDirect(pragma);
        return select.ExecuteInt64();
    }

    /// <param name="TotalChanges">Grows with every row this connection changes, also by statements the session does not know.</param>
    /// <param name="Data">Changes with every commit of another connection.</param>
    /// <param name="Schema">Changes with every table or index made or removed.</param>
    private sealed record Version(int TotalChanges, long Data, long Schema);
}
