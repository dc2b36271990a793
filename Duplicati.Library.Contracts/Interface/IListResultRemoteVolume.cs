namespace Duplicati.Library.Interface;

/// <summary>A remote volume in a listing.</summary>
public interface IListResultRemoteVolume
{
    /// <summary>The file name.</summary>
    string Name { get; }
}
