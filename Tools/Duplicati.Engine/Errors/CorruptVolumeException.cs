using Duplicati.Engine.Check;
using Duplicati.Engine.Common;

namespace Duplicati.Engine.Errors;

/// <summary>The content of a volume contradicts its format: truncated, altered, impossible sizes, wrong hashes.</summary>
public sealed class CorruptVolumeException : VolumeException
{
    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    /// <param name="problem">What is wrong, a sentence.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    public CorruptVolumeException(string volume, string problem, Exception? inner = null)
        : base(volume, problem, Advice.DamagedVolume(volume), "CorruptVolume", inner)
    {
    }
}
