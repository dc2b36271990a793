using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Transfer;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Backup;

/// <summary>
/// Makes a version of what an interrupted backup had recorded: its entries, and those of the version before it for every path that
/// it had not come to. The version is marked partial, and one second younger than the interrupted backup.
/// </summary>
/// <remarks>A kill at any point leaves either the interrupted fileset or one that holds all of its entries, so this can be done again.</remarks>
internal sealed class SyntheticFilelist(FilelistPublisher filelist, DatabaseGate<LocalBackupDatabase> gate, VolumeUploader<LocalBackupDatabase> uploader, string temporaryFolder, IEngineProgress progress)
{
    /// <summary>Makes and uploads the version, if a backup was interrupted, and removes the interrupted fileset.</summary>
    /// <returns>True if there is a new version.</returns>
    internal async Task<bool> PublishAsync(CancellationToken token)
    {
        var database = gate.Database;
        var incomplete = await database.GetIncompleteFilesetsAsync(token).ToListAsync(token).ConfigureAwait(false);
        if (incomplete.Count == 0)
            return false;

        var (interruptedId, time) = incomplete.MaxBy(x => x.Value);
        var interrupted = await database.GetRemoteVolumeFromFilesetIDAsync(interruptedId, token).ConfigureAwait(false);
        var previous = await database.FilesetTimesAsync(token).Where(x => incomplete.TrueForAll(y => y.Key != x.Key)).Select(x => x.Key).FirstOrDefaultAsync(-1L, token).ConfigureAwait(false);
        progress.Message($"Making a version of what the backup of {time.ToUniversalTime():u} had recorded before it was interrupted");

        var fileset = await filelist.BeginAsync(time.ToUniversalTime().AddSeconds(1), token).ConfigureAwait(false);
        await FillAsync(fileset.FilesetId, interruptedId, previous, fileset.Name.Time, token).ConfigureAwait(false);
        await database.UpdateFullBackupStateInFilesetAsync(fileset.FilesetId, false, token).ConfigureAwait(false);
        await database.RemoveRemoteVolumeAsync(interrupted.Name, token).ConfigureAwait(false);
        await filelist.UploadAsync(fileset, isFull: false, uploader, temporaryFolder, token).ConfigureAwait(false);
        return true;
    }

    // Entries are copied as they are. The members that look for the newest form of a path would take it from any version: a file
    // that had got its former content back would be carried over with the content in between.
    private async Task FillAsync(long filesetId, long interruptedId, long previousId, DateTime time, CancellationToken token)
    {
        var database = gate.Database;
        var recorded = new RecordedPaths();
        await database.AppendFilesFromPreviousSetWithPredicateAsync(
            (path, _) =>
            {
                recorded.Add(path);
                return false;
            },
            filesetId,
            interruptedId,
            time,
            token).ConfigureAwait(false);
        if (previousId >= 0)
            await database.AppendFilesFromPreviousSetWithPredicateAsync((path, _) => recorded.Excludes(path), filesetId, previousId, time, token).ConfigureAwait(false);
    }
}
