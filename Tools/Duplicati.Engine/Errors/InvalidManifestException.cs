
namespace Duplicati.Engine.Errors;

/// <summary>The manifest of a volume is missing, unreadable, of a later version, or does not fit the options of the backup.</summary>
public sealed class InvalidManifestException : VolumeException
{
    private const string REMEDY = "Check that the folder holds one backup only and that block size and hash options are those the backup was made with.";

    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    /// <param name="problem">What is wrong, a sentence.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    public InvalidManifestException(string volume, string problem, Exception? inner = null)
        : base(volume, problem, REMEDY, "InvalidManifest", inner)
    {
    }
}
