using System.Globalization;

namespace Duplicati.Engine.Data;

/// <summary>Names of users and groups by number, from the files every Unix has. Numbers that only a directory service knows have no name here.</summary>
internal sealed class UnixNames
{
    private readonly Dictionary<uint, string> m_users = Read("/etc/passwd");
    private readonly Dictionary<uint, string> m_groups = Read("/etc/group");

    /// <summary>The name of a user, null if there is none.</summary>
    public string? User(uint id) => m_users.GetValueOrDefault(id);

    /// <summary>The name of a group, null if there is none.</summary>
    public string? Group(uint id) => m_groups.GetValueOrDefault(id);

    // Both files: name, password, number, separated by colons.
    private static Dictionary<uint, string> Read(string path)
    {
        var names = new Dictionary<uint, string>();
        if (!File.Exists(path))
            return names;
        foreach (var line in File.ReadLines(path))
        {
            var parts = line.Split(':');
            if (parts.Length > 2 && uint.TryParse(parts[2], NumberStyles.None, CultureInfo.InvariantCulture, out var id))
                names.TryAdd(id, parts[0]);
        }

        return names;
    }
}
