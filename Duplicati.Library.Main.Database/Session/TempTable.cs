// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Globalization;
using System.Text;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>
/// A temporary table of fixed name, shared by all database objects of a connection: created once, emptied instead of dropped
/// (a drop fails while any reader is open). What is in it is only valid while the connection lock is held.
/// </summary>
/// <param name="Name">The name, without quotes.</param>
/// <param name="Create">Text that makes it if it is not there; a rollback may have undone an earlier creation.</param>
internal sealed record TempTable(string Name, string Create)
{
    /// <summary>Text that removes all its rows; made once, as statements are told apart by reference.</summary>
    internal string Clear { get; } = $"DELETE FROM temp.\"{Name}\"";

    /// <summary>Makes the table if needed and empties it. Takes no lock on the database file.</summary>
    internal void Reset(DatabaseSession session)
    {
        session.Run(Create);
        session.Run(Clear);
    }
}

/// <summary>
/// A temporary table that lives longer than one call and therefore belongs to one object: its name ends in 32 hexadecimal
/// digits, which stand as <c>{0}</c> in every text that mentions it. The digits are made here, never taken from a caller.
/// </summary>
/// <param name="Prefix">The name up to the hyphen.</param>
/// <param name="Create">Text that makes it, with <c>{0}</c> for the digits.</param>
internal sealed record TempTableTemplate(string Prefix, string Create)
{
    /// <summary>Text that removes all its rows, with <c>{0}</c> for the digits.</summary>
    internal string Clear { get; } = $"DELETE FROM temp.\"{Prefix}-{{0}}\"";

    /// <summary>Text that removes it, with <c>{0}</c> for the digits.</summary>
    internal string Drop { get; } = $"DROP TABLE IF EXISTS temp.\"{Prefix}-{{0}}\"";

    /// <summary>Makes a new table.</summary>
    /// <returns>Its digits, to be given to <see cref="Text"/>, <see cref="Name"/> and <see cref="Remove"/>.</returns>
    internal string Make(DatabaseSession session)
    {
        var digits = Library.Utility.Utility.GetHexGuid();
        session.Statements.Execute(Text(Create, digits));
        return digits;
    }

    /// <summary>The full name of the table with these digits, without quotes.</summary>
    internal string Name(string digits) => $"{Prefix}-{digits}";

    /// <summary>A statement about the table with these digits.</summary>
    internal static string Text(string template, string digits) =>
        string.Format(CultureInfo.InvariantCulture, CompositeFormat.Parse(template), digits);

    /// <summary>
    /// Removes the table. Empties it first: a drop is refused while any reader is open, and then only an empty table stays until the
    /// connection ends.
    /// </summary>
    internal void Remove(DatabaseSession session, string digits)
    {
        session.Statements.Execute(Text(Clear, digits));
        session.Statements.Execute(Text(Drop, digits));
    }
}
