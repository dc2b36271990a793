using Duplicati.Engine.Check;
using Duplicati.Engine.Common;

namespace Duplicati.Engine.Errors;

/// <summary>A fetched file is not the one that was uploaded: its size or hash differs from the recorded one.</summary>
public sealed class VolumeChangedException : VolumeException
{
    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    /// <param name="problem">What differs, a sentence.</param>
    public VolumeChangedException(string volume, string problem)
        : base(volume, problem, Advice.DamagedVolume(volume), "VolumeChanged", null)
    {
    }
}
