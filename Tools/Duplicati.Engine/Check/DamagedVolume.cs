using Duplicati.Engine.Errors;
using Duplicati.Library.Main.Database;

namespace Duplicati.Engine.Check;

/// <summary>A volume of which something is wrong besides its size.</summary>
/// <param name="Volume">The volume.</param>
/// <param name="Problem">What reading it gave.</param>
internal sealed record DamagedVolume(RemoteVolumeEntry Volume, Exception Problem)
{
    /// <summary>What is wrong, without what to do.</summary>
    internal string What => Problem is VolumeException volume ? volume.Problem : Problem.Message;
}
