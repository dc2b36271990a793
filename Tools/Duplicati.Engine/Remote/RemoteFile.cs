namespace Duplicati.Engine.Remote;

/// <summary>A file of a remote folder.</summary>
/// <param name="Name">Its name, without a folder.</param>
/// <param name="Size">Its length, bytes.</param>
/// <param name="LastWrite">Its last change, UTC.</param>
public sealed record RemoteFile(string Name, long Size, DateTime LastWrite);
