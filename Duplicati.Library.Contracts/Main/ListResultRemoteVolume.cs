using Duplicati.Library.Interface;

namespace Duplicati.Library.Main;

/// <summary>A remote volume in a listing.</summary>
internal class ListResultRemoteVolume(string name) : IListResultRemoteVolume
{
    public string Name { get; } = name;
}
