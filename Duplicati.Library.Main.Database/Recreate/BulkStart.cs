#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>Decides, once for all steps of a recreate, whether the tables were empty at the start: then the steps know every row, and indexes wait.</summary>
/// <remarks>Call with the session's gate held.</remarks>
internal sealed class BulkStart
{
    private readonly DeferredIndexes m_indexes;
    private bool? m_isBulk;

    internal BulkStart(DeferredIndexes indexes) => m_indexes = indexes;

    /// <summary>True if the tables were empty when this was first asked.</summary>
    internal bool IsBulk()
    {
        if (m_isBulk is { } known)
            return known;

        // Indexes that are missing from an earlier start are needed for look-ups in the rows of that start.
        if (m_indexes.IsActive)
            m_indexes.Restore();
        m_isBulk = m_indexes.DropIfEmpty();
        return m_isBulk.Value;
    }

    /// <summary>The next question is answered from the tables again.</summary>
    internal void Forget() => m_isBulk = null;
}
