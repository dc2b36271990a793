using Duplicati.Engine.Configuration;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Transfer;

/// <summary>Finds names for new file lists. There is one version a second at most, so a taken time moves forward (contract B, 8.1).</summary>
internal static class FreeFilelistName
{
    private const int MostProbes = 60;

    /// <summary>The first name that is not known, also not as that of a deleted list.</summary>
    /// <param name="database">Knows the names.</param>
    /// <param name="settings">Prefix and encryption.</param>
    /// <param name="from">The first time to try (UTC).</param>
    /// <param name="taken">Further names not to take.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="UserInformationException">Help id <c>NoFreeFilelistName</c>: a minute is full.</exception>
    internal static async Task<VolumeName> FindAsync(LocalDatabase database, BackupSettings settings, DateTime from, IReadOnlySet<string> taken, CancellationToken token)
    {
        for (var i = 0; i < MostProbes; i++)
        {
            var name = VolumeName.ForFilelist(from.AddSeconds(i), settings.Prefix, settings.Encryption);
            if (!taken.Contains(name.FileName) && await database.GetRemoteVolumeIDAsync(name.FileName, token).ConfigureAwait(false) < 0)
                return name;
        }

        throw new UserInformationException($"No free time stamp for a file list within {MostProbes} seconds of {from:u}.", "NoFreeFilelistName");
    }
}
