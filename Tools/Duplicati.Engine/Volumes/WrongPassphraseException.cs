namespace Duplicati.Engine.Volumes;

/// <summary>The passphrase does not open a volume. Raised before any content is decrypted.</summary>
public sealed class WrongPassphraseException : VolumeException
{
    private const string REMEDY = "Give the passphrase the backup was made with; if other volumes open with it, restore this file from a copy.";

    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    public WrongPassphraseException(string volume)
        : base(volume, "The passphrase is wrong, or the head of the file is damaged.", REMEDY, "WrongPassphrase", null)
    {
    }
}
