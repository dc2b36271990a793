
namespace Duplicati.Engine.Errors;

/// <summary>A volume of a format this program does not know: another compression, encryption or version of it.</summary>
public sealed class UnsupportedVolumeException : VolumeException
{
    private const string REMEDY = "Use Duplicati itself for this backup.";

    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    /// <param name="problem">What is not known, a sentence.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    public UnsupportedVolumeException(string volume, string problem, Exception? inner = null)
        : base(volume, problem, REMEDY, "UnsupportedVolume", inner)
    {
    }
}
