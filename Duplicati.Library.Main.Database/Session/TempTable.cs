#nullable enable

namespace Duplicati.Library.Main.Database.Session;

/// <summary>
/// A temporary table of fixed name, shared by all database objects of a connection: created once, emptied instead of dropped
/// (a drop fails while any reader is open). What is in it is only valid while the session's gate is held.
/// </summary>
/// <param name="Name">The name, without quotes.</param>
/// <param name="Create">Text that makes it if it is not there; a rollback may have undone an earlier creation.</param>
/// <param name="Clear">Text that removes all its rows.</param>
internal sealed record TempTable(string Name, string Create, string Clear)
{
    /// <summary>Makes the table if needed and empties it. Takes no lock on the database file.</summary>
    internal void Reset(DatabaseSession session)
    {
        using (var create = session.TakeDirect(Create))
            create.Execute();
        using var clear = session.TakeDirect(Clear);
        clear.Execute();
    }
}
