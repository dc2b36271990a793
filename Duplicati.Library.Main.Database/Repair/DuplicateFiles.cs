#nullable enable

using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>Leaves one file row, that with the lowest id, for each path, content and metadata.</summary>
internal static class DuplicateFiles
{
    private static readonly string LOGTAG = Log.LogTagFromType<LocalRepairDatabase>();

    /// <summary>Returns whether there was anything to do.</summary>
    internal static bool Fix(DatabaseSession session)
    {
        var duplicates = Count(session);
        if (duplicates == 0)
            return false;

        Log.WriteInformationMessage(LOGTAG, "DuplicateFileEntries", "Found {0} duplicate file entries, repairing", duplicates);
        TempTables.FileMerge.Reset(session);
        session.Run(MergeSql.FindDuplicateFiles);
        Merges.ReplaceFiles(session);
        if (Count(session) != 0)
            throw new UserInformationException("The repair failed, there are still duplicate file entries.", "DuplicateFilesRepairFailed");

        Log.WriteInformationMessage(LOGTAG, "DuplicateFileEntriesFixed", "Duplicate file entries repaired successfully");
        return true;
    }

    private static long Count(DatabaseSession session)
    {
        using var count = session.Take(MergeSql.CountDuplicateFiles);
        return count.ExecuteInt64(0);
    }
}
