namespace Duplicati.Benchmarks.Processes;

/// <summary>Finds a program as a shell does.</summary>
internal static class ProgramPath
{
    /// <summary>The first file of this name in the folders.</summary>
    /// <param name="name">Name of the program.</param>
    /// <param name="path">The folders to look in, as the variable PATH has them.</param>
    /// <returns>Null if there is none.</returns>
    public static string? Find(string name, string? path) =>
        (path ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries).Select(folder => Path.Combine(folder, name)).FirstOrDefault(File.Exists);
}
