// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers;
using Duplicati.Engine.Errors;
using Duplicati.Library.Interface;

namespace Duplicati.Engine.Data;

/// <summary>
/// The folder that a backup is restored to. Paths come from volumes that anyone with access to the remote folder may have written, so
/// none is used before it was shown to stay inside. Safe for concurrent use.
/// </summary>
/// <remarks>
/// Links are restored after all files and folders: then a path can only be led astray by links that were there before, which are
/// refused, or by one of the same list, for which the paths of links and folders are checked again. Another process that swaps folders for
/// links during the restore is not guarded against.
/// </remarks>
public sealed class RestoreTarget
{
    private static readonly HashSet<string> s_devices = new(
        ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", .. Enumerable.Range(0, 10).SelectMany(n => new[] { $"COM{n}", $"LPT{n}" })],
        StringComparer.OrdinalIgnoreCase
    );

    private static readonly SearchValues<char> s_notInNames = SearchValues.Create("<>:\"|?*");

    private readonly string m_root;
    private readonly bool m_windows;

    /// <summary>Names the folder; it need not exist yet.</summary>
    /// <param name="root">Its path.</param>
    public RestoreTarget(string root)
        : this(root, OperatingSystem.IsWindows()) { }

    /// <summary>Names the folder, with the rules of a system.</summary>
    internal RestoreTarget(string root, bool windows)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(root);
        m_root = Path.TrimEndingDirectorySeparator(Path.GetFullPath(root));
        m_windows = windows;
    }

    /// <summary>The full path of the folder, without a separator at its end.</summary>
    public string Root => m_root;

    private StringComparison Comparison => m_windows ? StringComparison.OrdinalIgnoreCase : StringComparison.Ordinal;

    /// <summary>The path in the folder for a path relative to it.</summary>
    /// <param name="relative">Parts between separators; one at the end is cut off.</param>
    /// <returns>The full path.</returns>
    /// <exception cref="UnsafePathException">It leads out of the folder, or through a link.</exception>
    public string Map(string relative)
    {
        ArgumentNullException.ThrowIfNull(relative);
        var parts = Parts(relative);
        if (parts.Count == 0)
            throw new UnsafePathException(relative, "it names nothing");
        var path = m_root;
        for (var i = 0; i < parts.Count; i++)
        {
            if (Problem(parts[i]) is { } problem)
                throw new UnsafePathException(relative, problem);
            path = Path.Join(path, parts[i]);
            if (i < parts.Count - 1 && IsLink(path))
                throw new UnsafePathException(relative, $"'{path}' is a link");
        }

        return path;
    }

    /// <summary>Checks a full path that was made for this folder.</summary>
    /// <param name="path">The path, with or without a separator at its end; the folder itself is allowed.</param>
    /// <returns>The same path without a separator at its end.</returns>
    /// <exception cref="UnsafePathException">It leads out of the folder, or through a link.</exception>
    public string Check(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        if (Is(path))
            return m_root;
        // The root of a file system ends with its separator already.
        var prefix = Path.EndsInDirectorySeparator(m_root) ? m_root : m_root + Path.DirectorySeparatorChar;
        // What was a share of Windows has a separator of its own before it.
        return path.StartsWith(prefix, Comparison)
            ? Map(path[prefix.Length..].TrimStart(m_windows ? ['/', '\\'] : ['/']))
            : throw new UnsafePathException(path, $"it is not in '{m_root}'");
    }

    /// <summary>Whether a full path, with or without a separator at its end, is that of the folder itself.</summary>
    internal bool Is(string path) => Path.TrimEndingDirectorySeparator(path).Equals(m_root, Comparison);

    /// <summary>Makes the folder of a checked path, and those above it.</summary>
    /// <param name="path">A path that <see cref="Map"/> or <see cref="Check"/> gave, or the folder it lies in.</param>
    /// <exception cref="UserInformationException">A file is where a folder must be; help id <c>RestoreTargetInTheWay</c>.</exception>
    public static void MakeFolder(string path)
    {
        try
        {
            Directory.CreateDirectory(path);
        }
        catch (IOException ex) when (File.Exists(path))
        {
            throw new UserInformationException(
                $"A file named {path} is in the way of a folder to restore; move it away.",
                "RestoreTargetInTheWay",
                ex
            );
        }
    }

    private static bool IsLink(string path) => new FileInfo(path).LinkTarget is not null;

    private List<string> Parts(string relative)
    {
        var parts = relative.Split(m_windows ? ['/', '\\'] : ['/']).ToList();
        if (parts[^1].Length == 0)
            parts.RemoveAt(parts.Count - 1);
        return parts;
    }

    private string? Problem(string part) =>
        part switch
        {
            "" => "it has an empty part",
            "." or ".." => $"it has a part '{part}'",
            _ when part.Contains('\0', StringComparison.Ordinal) => "it has a NUL character",
            _ when m_windows => WindowsProblem(part),
            _ => null,
        };

    private static string? WindowsProblem(string part)
    {
        if (part.AsSpan().ContainsAny(s_notInNames))
            return $"'{part}' has characters that names cannot have";
        if (part[^1] is ' ' or '.')
            return $"'{part}' ends with a blank or a dot";
        var name = part.Split('.')[0].TrimEnd();
        return s_devices.Contains(name) ? $"'{part}' is the name of a device" : null;
    }
}
