using Duplicati.Engine.Common;

namespace Duplicati.Engine.Errors;

/// <summary>The passphrase does not open a volume. Raised before any content is decrypted.</summary>
public sealed class WrongPassphraseException : VolumeException
{
    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    public WrongPassphraseException(string volume)
        : base(volume, "The passphrase is wrong, or the head of the file is damaged.", Advice.UnopenedVolume(volume), "WrongPassphrase", null)
    {
    }
}
