
namespace Duplicati.Engine.Errors;

/// <summary>A volume is encrypted and no passphrase was given.</summary>
public sealed class MissingPassphraseException : VolumeException
{
    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    public MissingPassphraseException(string volume)
        : base(volume, "The file is encrypted and no passphrase was given.", "Give the passphrase the backup was made with.", "MissingPassphrase", null)
    {
    }
}
