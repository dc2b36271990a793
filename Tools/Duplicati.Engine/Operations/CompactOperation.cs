using Duplicati.Engine.Common;
using Duplicati.Engine.Compact;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Remote;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Engine.Operations;

/// <summary>Compacts the remote folder on its own.</summary>
/// <param name="options">What the operation works on.</param>
/// <param name="progress">Told what happens.</param>
public sealed class CompactOperation(EngineOptions options, IEngineProgress progress)
{
    /// <summary>Runs the compact.</summary>
    /// <exception cref="Duplicati.Library.Interface.UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>MissingRemoteFiles</c>, <c>ExtraRemoteFiles</c>.</exception>
    public async Task<CompactReport> RunAsync(CancellationToken token)
    {
        using var preset = ConnectionPreset.Use(options.Preset);
        DatabaseFile.RequireExists(options.DatabasePath);
        var database = await LocalDeleteDatabase.CreateAsync(options.DatabasePath, "Compact", null, token).ConfigureAwait(false);
        await using var databaseScope = database.ConfigureAwait(false);
        var settings = await SettingsStore.ResolveAsync(database, options, token).ConfigureAwait(false);
        using var folder = RemoteFolder.Open(options, progress);
        var inventory = new RemoteInventory(database, folder, settings.Prefix, progress);
        await inventory.AnalyseAsync(token).ConfigureAwait(false);
        inventory.ThrowIfDifferent();
        if (!options.DryRun)
            await inventory.SettleAsync(token).ConfigureAwait(false);
        return await new Compactor(options, settings, database, folder, progress).RunAsync(token).ConfigureAwait(false);
    }
}
