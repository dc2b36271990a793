using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Micro;

/// <summary>Databases that are made once and copied for every repetition.</summary>
internal static class DatabaseTemplates
{
    private static readonly Dictionary<string, string> Made = [];
    private static TempFolder? s_folder;

    /// <summary>The file of a template.</summary>
    /// <param name="key">What distinguishes it from the others.</param>
    /// <param name="make">Makes it, at a path where nothing is, and leaves it closed.</param>
    public static string Get(string key, Action<string> make)
    {
        if (Made.TryGetValue(key, out var path))
            return path;

        s_folder ??= new TempFolder();
        path = Path.Combine(s_folder, $"template-{Made.Count}.sqlite");
        make(path);
        return Made[key] = path;
    }

    /// <summary>Removes all of them.</summary>
    public static void Remove()
    {
        Made.Clear();
        s_folder?.Dispose();
        s_folder = null;
    }
}
