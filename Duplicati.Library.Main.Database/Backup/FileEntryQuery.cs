#nullable enable

using System;
using System.Globalization;

namespace Duplicati.Library.Main.Database.Backup;

/// <summary>Chooses the query for the state of a file in an earlier fileset, by the environment variable of the contract.</summary>
internal sealed record FileEntryQuery(int Version, string Sql, bool UsesFileset)
{
    private const string Variable = "TEST_QUERY_VERSION";

    /// <summary>The query that the environment asks for; the usual one if it asks for none or for an unknown one.</summary>
    internal static FileEntryQuery FromEnvironment() =>
        ForVersion(int.TryParse(Environment.GetEnvironmentVariable(Variable), NumberStyles.Integer, CultureInfo.InvariantCulture, out var version) ? version : 0);

    private static FileEntryQuery ForVersion(int version) => version switch
    {
        1 => new FileEntryQuery(version, FileSql.EntryOfNewestFileset, false),
        3 => new FileEntryQuery(version, FileSql.EntryOptionalData, true),
        _ => new FileEntryQuery(version, FileSql.Entry, true),
    };
}
