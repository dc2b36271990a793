namespace Duplicati.Engine.Volumes;

/// <summary>A volume ready for upload.</summary>
/// <param name="Name">Its name in the remote folder.</param>
/// <param name="Path">The local file.</param>
/// <param name="Hash">The file hash of that file, Base64.</param>
/// <param name="Size">Its length, bytes.</param>
public sealed record SealedVolume(VolumeName Name, string Path, string Hash, long Size);
