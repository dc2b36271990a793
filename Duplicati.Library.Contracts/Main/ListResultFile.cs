using Duplicati.Library.Interface;

namespace Duplicati.Library.Main;

/// <summary>A path with its sizes.</summary>
internal class ListResultFile(string path, IEnumerable<long>? sizes) : IListResultFile
{
    public string Path { get; } = path;
    public IEnumerable<long>? Sizes { get; } = sizes;
}
