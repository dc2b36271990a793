#nullable enable

namespace Duplicati.Library.Main.Database.Testing;

/// <summary>A volume that may be tested.</summary>
/// <param name="Id">Its row.</param>
/// <param name="Volume">Name, size (-1 if unknown) and hash (empty if unknown).</param>
/// <param name="Type">What it holds.</param>
/// <param name="VerificationCount">How often it was tested.</param>
internal readonly record struct TestTarget(long Id, RemoteVolume Volume, RemoteVolumeType Type, long VerificationCount)
{
    /// <summary>Whether it cannot be compared with anything before it has been fetched.</summary>
    internal bool IsUnmeasured => Volume.Size <= 0 || Volume.Hash.Length == 0;
}
