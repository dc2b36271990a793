using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Remote.Rclone;

namespace Duplicati.Engine.Remote;

/// <summary>Finds the kind of remote folder that an address means.</summary>
public static class RemoteFolder
{
    /// <summary>Opens a remote folder; the folder need not exist yet, and nothing is asked of it.</summary>
    /// <param name="options">The address, and how to get there.</param>
    /// <param name="progress">Told what is fetched ahead.</param>
    /// <returns>The folder, to be disposed of.</returns>
    /// <exception cref="Duplicati.Library.Interface.UserInformationException">Help id <c>InvalidRemoteAddress</c>: not of the form <c>rclone:NAME:PATH</c>.</exception>
    /// <exception cref="ArgumentException">The address is empty or of a kind that is not known.</exception>
    public static IRemoteFolder Open(EngineOptions options, IEngineProgress progress)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(progress);
        return RcloneAddress.Fits(options.Remote ?? "") ? new RcloneFolder(options, progress) : LocalFolder.Parse(options.Remote!);
    }
}
