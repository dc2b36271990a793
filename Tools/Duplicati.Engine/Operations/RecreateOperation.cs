using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Recreate;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Operations;

/// <summary>Makes the local database anew from the remote volumes: file lists, then index volumes, then block volumes where something is missing.</summary>
/// <param name="options">What the operation works on; the database must not exist.</param>
/// <param name="progress">Told what happens.</param>
public sealed class RecreateOperation(EngineOptions options, IEngineProgress progress)
{
    /// <summary>Stands between this operation and the remote folder.</summary>
    internal Func<IRemoteFolder, IRemoteFolder> Through { get; init; } = static folder => folder;

    /// <summary>Runs the recreate. A database that turned out broken is kept, as upstream does, for purging; one from an empty folder is removed.</summary>
    /// <exception cref="UserInformationException">Help ids <c>RecreateTargetDatabaseExists</c>, <c>EmptyRemoteLocation</c>, <c>EmptyRemoteLocationWithPrefix</c>,
    /// <c>MissingPassphrase</c>, <c>DatabaseIsBrokenConsiderPurge</c>, <c>DatabaseInconsistency</c>.</exception>
    public async Task<RecreateReport> RunAsync(CancellationToken token)
    {
        using var turn = await OperationTurn.TakeAsync(options.DatabasePath, progress, token).ConfigureAwait(false);
        return await RunInTurnAsync(token).ConfigureAwait(false);
    }

    /// <summary>The same within an operation that has the turn.</summary>
    internal async Task<RecreateReport> RunInTurnAsync(CancellationToken token)
    {
        if (File.Exists(options.DatabasePath))
            throw new UserInformationException($"The database {options.DatabasePath} exists already. {Advice.DatabaseExists()}", "RecreateTargetDatabaseExists");

        using var preset = ConnectionPreset.Use(options.Preset);
        try
        {
            using var opened = RemoteFolder.Open(options, progress);
            using var folder = Through(opened);
            var database = await LocalDatabase.CreateLocalDatabaseAsync(options.DatabasePath, "Recreate", true, null, token).ConfigureAwait(false);
            await using var databaseScope = database.ConfigureAwait(false);
            using var temporary = new TemporaryFolder();
            return await new DatabaseRebuild(options, progress, database, folder, temporary.Path).RunAsync(token).ConfigureAwait(false);
        }
        catch (UserInformationException ex) when (ex.HelpID is "EmptyRemoteLocation" or "EmptyRemoteLocationWithPrefix" or "MissingPassphrase" || ex is WrongPassphraseException or RemoteFolderMissingException)
        {
            RemoveDatabase();
            throw;
        }
    }

    private void RemoveDatabase()
    {
        foreach (var suffix in new[] { "", "-wal", "-shm", "-journal" })
            File.Delete(options.DatabasePath + suffix);
    }
}
