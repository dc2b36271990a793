using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Duplicati.Engine.Backup;

/// <summary>
/// The paths of a fileset, to tell which entries of an earlier one can stand beside them: not one of the same path, and none where a
/// folder would have to be what is a file now, or the other way round.
/// </summary>
/// <remarks>Memory: about 40 bytes a path, whatever its length. Not safe for concurrent use.</remarks>
internal sealed class RecordedPaths
{
    // By digest of the path without the separator at its end; true for what ends with one: folders, and links to folders.
    private readonly Dictionary<UInt128, bool> m_paths = [];

    /// <summary>Adds a full path; folders end with a separator.</summary>
    internal void Add(string path)
    {
        var trimmed = Trimmed(path, Separator(path));
        m_paths[Digest(trimmed)] = trimmed.Length < path.Length;
    }

    /// <summary>Whether an entry of this path must not be added: the path is there, or one of its folders is a file now.</summary>
    internal bool Excludes(string path)
    {
        var separator = Separator(path);
        var rest = Trimmed(path, separator);
        if (m_paths.ContainsKey(Digest(rest)))
            return true;

        for (var end = rest.LastIndexOf(separator); end > 0; end = rest.LastIndexOf(separator))
        {
            rest = rest[..end];
            if (m_paths.TryGetValue(Digest(rest), out var isFolder))
                return !isFolder;
        }

        return false;
    }

    // By the form of the path: the sources may have been on another system, and a name on Linux may hold a backslash.
    private static char Separator(string path) => path.StartsWith('/') ? '/' : '\\';

    private static ReadOnlySpan<char> Trimmed(string path, char separator) => path.Length > 1 && path[^1] == separator ? path.AsSpan(0, path.Length - 1) : path;

    private static UInt128 Digest(ReadOnlySpan<char> path)
    {
        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(MemoryMarshal.AsBytes(path), digest);
        return BitConverter.ToUInt128(digest);
    }
}
