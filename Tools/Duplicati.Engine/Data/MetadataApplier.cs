// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;

namespace Duplicati.Engine.Data;

/// <summary>Gives restored files, folders and links their metadata back. Safe for concurrent use on different paths.</summary>
/// <remarks>
/// Folders get theirs after everything in them, deepest first: their times change with their content, and their permissions may forbid
/// it. Set-uid, set-gid and sticky bits are never restored.
/// </remarks>
public static class MetadataApplier
{
    /// <summary>Applies what can be applied. A link is never followed: its target keeps its own metadata.</summary>
    /// <param name="path">The restored entry.</param>
    /// <param name="blob">Its metadata.</param>
    /// <param name="withPrivileges">Whether also what only the administrator may give is: owner, group, and attributes that give
    /// rights.</param>
    /// <returns>What could not be applied, a sentence each; empty if all was.</returns>
    public static IReadOnlyList<string> Apply(string path, MetadataBlob blob, bool withPrivileges)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(blob);
        path = Path.TrimEndingDirectorySeparator(path);
        var isLink = new FileInfo(path).LinkTarget is not null;
        var problems = new List<string>();
        // First: the system takes attributes that give rights from a file that gets another owner.
        if (withPrivileges && blob.OwnerAndMode is { } owner && !UnixFile.SetOwner(path, owner.Owner, owner.Group))
            problems.Add($"Owner {owner.Owner} and group {owner.Group} could not be set.");
        foreach (var (name, value) in blob.ExtendedAttributes)
        {
            if ((withPrivileges || !IsPrivilege(name)) && !UnixFile.SetExtendedAttribute(path, name, value))
                problems.Add($"The extended attribute '{name}' could not be set.");
        }

        if (!isLink)
            Try(problems, "The permissions", () => ApplyMode(path, blob));
        // Last, because what comes before may touch the times.
        Try(problems, "The times", () => ApplyTimes(path, blob));
        return problems;
    }

    /// <summary>
    /// Whether an extended attribute gives rights, or says whom to trust: as a set-uid bit, it is not taken from a remote folder unasked.
    /// </summary>
    internal static bool IsPrivilege(string attribute) =>
        attribute.StartsWith("security.", StringComparison.Ordinal) || attribute.StartsWith("trusted.", StringComparison.Ordinal);

    private static void ApplyMode(string path, MetadataBlob blob)
    {
        if (OperatingSystem.IsWindows())
        {
            const FileAttributes RESTORED =
                FileAttributes.ReadOnly | FileAttributes.Hidden | FileAttributes.System | FileAttributes.Archive;
            if (blob.Attributes is { } attributes && (attributes & RESTORED) != 0)
                File.SetAttributes(path, (File.GetAttributes(path) & ~RESTORED) | (attributes & RESTORED));
        }
        else if (blob.OwnerAndMode is { } owner)
        {
            File.SetUnixFileMode(path, owner.Mode);
        }
    }

    private static void ApplyTimes(string path, MetadataBlob blob)
    {
        // Elsewhere the creation time cannot be set, and trying would set the last change.
        if (OperatingSystem.IsWindows() && blob.Creation is { } creation)
            File.SetCreationTimeUtc(path, creation);
        if (blob.LastWrite is { } lastWrite)
            File.SetLastWriteTimeUtc(path, lastWrite);
    }

    private static void Try(List<string> problems, string what, Action apply)
    {
        try
        {
            apply();
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException or ArgumentException)
        {
            problems.Add($"{what} could not be set: {ex.Message}");
        }
    }
}
