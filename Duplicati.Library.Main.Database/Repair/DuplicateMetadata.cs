#nullable enable

using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>Leaves one row of metadata, that with the lowest id, for each content.</summary>
internal static class DuplicateMetadata
{
    private static readonly string LOGTAG = Log.LogTagFromType<LocalRepairDatabase>();

    /// <summary>Returns whether there was anything to do.</summary>
    internal static bool Fix(DatabaseSession session)
    {
        var duplicates = Count(session);
        if (duplicates == 0)
            return false;

        Log.WriteInformationMessage(LOGTAG, "DuplicateMetadataHashes", "Found {0} duplicate metadata hashes, repairing", duplicates);
        TempTables.MetadataMerge.Reset(session);
        session.Run(MergeSql.FindDuplicateMetadata);
        Merges.ReplaceMetadata(session);
        if (Count(session) != 0)
            throw new UserInformationException("The repair failed, there are still duplicate metadata hashes.", "DuplicateHashesRepairFailed");

        Log.WriteInformationMessage(LOGTAG, "DuplicateMetadataHashesFixed", "Duplicate metadata hashes repaired successfully");
        return true;
    }

    private static long Count(DatabaseSession session)
    {
        using var count = session.Take(MergeSql.CountMetadata);
        return count.Step() ? count.GetInt64(0) - count.GetInt64(1) : 0;
    }
}
