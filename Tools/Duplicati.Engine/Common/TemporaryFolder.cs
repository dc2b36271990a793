// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Engine.Common;

/// <summary>
/// A new folder for an operation's temporary files, removed with everything in it. One that a killed process has left is removed by the
/// next run of the tool.
/// </summary>
internal sealed class TemporaryFolder : IDisposable
{
    /// <summary>Begins the names of the folders.</summary>
    internal const string Prefix = "duplicati-engine-";

    // The second is of private copies that are read, see ReadOnlyFile.
    private static readonly string[] s_prefixes = [Prefix, "duplicati-read-"];

    private readonly HeldFile m_held;

    /// <exception cref="UserInformationException">Help id <c>NoTemporaryFolder</c>.</exception>
    internal TemporaryFolder()
    {
        try
        {
            // Whoever removes leftovers may have come in between.
            do
            {
                Path = Directory.CreateTempSubdirectory(Prefix).FullName;
            } while ((m_held = HeldFile.TryTake(MarkIn(Path))!) is not { IsHeld: true });
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException && !DiskSpace.IsExhausted(ex))
        {
            throw new UserInformationException(
                $"No temporary folder can be made in {System.IO.Path.GetTempPath()}; set TMPDIR to a folder that can be written.",
                "NoTemporaryFolder",
                ex
            );
        }
    }

    internal string Path { get; }

    /// <summary>Removes the temporary folders of processes that are no more, of this user, or of all for the administrator.</summary>
    internal static void RemoveLeftovers()
    {
        // Whoever needs a temporary folder will say so.
        Attempt.Do(() =>
        {
            var temporary = System.IO.Path.GetTempPath();
            // Once for both: a temporary folder may be large.
            foreach (var folder in Directory.EnumerateDirectories(temporary, "duplicati-*").Where(IsName))
                RemoveLeftover(folder);
        });
    }

    /// <summary>Whether a folder is such a one, whoever has made it: by its name, and by the file in it that is held.</summary>
    internal static bool IsOne(string folder) => IsName(folder) && File.Exists(MarkIn(folder));

    public void Dispose()
    {
        if (OperatingSystem.IsWindows())
            m_held.Dispose();
        Remove(Path);
        m_held.Dispose();
    }

    private static bool IsName(string folder) =>
        s_prefixes.Any(x => System.IO.Path.GetFileName(folder.AsSpan()).StartsWith(x, StringComparison.Ordinal));

    private static string MarkIn(string folder) => System.IO.Path.Combine(folder, ".in-use");

    private static void RemoveLeftover(string folder)
    {
        try
        {
            // One without the mark may be just being made.
            if (!File.Exists(MarkIn(folder)) || HeldFile.TryTake(MarkIn(folder)) is not { IsHeld: true } held)
                return;
            using (held)
            {
                if (OperatingSystem.IsWindows())
                    held.Dispose();
                Remove(folder);
            }
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException or UserInformationException)
        {
            // It is somebody else's.
        }
    }

    private static void Remove(string folder)
    {
        try
        {
            Directory.Delete(folder, recursive: true);
        }
        catch (IOException)
        {
            // A file still open elsewhere; the system's own cleaning of the temporary folder takes it.
        }
    }
}
