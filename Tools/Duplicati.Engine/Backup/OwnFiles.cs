// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Backup;

/// <summary>
/// What a backup writes itself while it reads its source: the database with its logs and its lock, the files of its own messages, volumes
/// in a folder of
/// this machine, temporary folders. A source that holds them is backed up without them: they change and grow with the backup. Not
/// thread-safe.
/// </summary>
internal sealed class OwnFiles
{
    private static readonly string[] s_besides = ["", "-wal", "-shm", "-journal", OperationTurn.Suffix];
    private static readonly StringComparer s_comparer = OperatingSystem.IsWindows()
        ? StringComparer.OrdinalIgnoreCase
        : StringComparer.Ordinal;

    // What the runtime of this process listens at.
    private static readonly string[] s_sockets =
    [
        string.Create(CultureInfo.InvariantCulture, $"dotnet-diagnostic-{Environment.ProcessId}-"),
        string.Create(CultureInfo.InvariantCulture, $"clr-debug-pipe-{Environment.ProcessId}-"),
    ];

    private readonly HashSet<string> m_files;
    private readonly HashSet<string> m_names;
    private readonly string? m_remote;
    private readonly string m_temporary = RealPath.Of(Path.GetTempPath());

    internal OwnFiles(EngineOptions options)
    {
        m_files = new HashSet<string>(
            options.OwnFiles.Concat(OfDatabase(options.DatabasePath)).Where(x => x.Length > 0).SelectMany(Places),
            s_comparer
        );
        m_names = m_files.Select(x => Path.GetFileName(x)).ToHashSet(s_comparer);
        m_remote = LocalFolder.PathOf(options) is { } remote ? RealPath.Of(remote) : null;
    }

    /// <summary>A database, and the names of what lies beside it while somebody works on it.</summary>
    internal static IEnumerable<string> OfDatabase(string path) => s_besides.Select(x => path + x);

    /// <summary>How many were found.</summary>
    internal int Count { get; private set; }

    /// <summary>The first that was found.</summary>
    internal string First { get; private set; } = "";

    /// <summary>Whether a file or folder is one of them.</summary>
    internal bool Has(FileSystemInfo info)
    {
        if (!IsOne(info))
            return false;
        if (Count++ == 0)
            First = info.FullName;
        return true;
    }

    private bool IsOne(FileSystemInfo info)
    {
        if (info is DirectoryInfo)
            return TemporaryFolder.IsOne(info.FullName) && IsIn(info, m_temporary);
        if (s_sockets.Any(x => info.Name.StartsWith(x, StringComparison.Ordinal)) && IsIn(info, m_temporary))
            return true;
        if (m_names.Contains(info.Name) && m_files.Contains(RealPath.Beside(info.FullName)))
            return true;
        return m_remote is not null
            && (VolumeName.Parse(info.Name) is not null || LocalFolder.IsTemporary(info.Name))
            && IsIn(info, m_remote);
    }

    private static bool IsIn(FileSystemInfo info, string folder) =>
        s_comparer.Equals(RealPath.Of(Path.GetDirectoryName(info.FullName)!), folder);

    // A link to a database has its logs where it leads.
    private static IEnumerable<string> Places(string path)
    {
        yield return RealPath.Beside(path);
        yield return RealPath.Of(path);
    }
}
