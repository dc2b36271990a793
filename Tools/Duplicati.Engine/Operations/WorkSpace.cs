// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Repair;

namespace Duplicati.Engine.Operations;

/// <summary>
/// What an operation works on: the database and the remote folder, or in a dry run a copy of the database and a folder that only notes what
/// would be put and deleted. So a dry run takes every step of the real one, comes to the same figures, and changes nothing.
/// </summary>
internal sealed class WorkSpace : IDisposable
{
    private readonly TemporaryFolder? m_temporary;

    /// <param name="options">What the operation works on. A database that does not exist is not copied.</param>
    /// <param name="progress">Told what the remote folder does.</param>
    internal WorkSpace(EngineOptions options, IEngineProgress progress)
    {
        Folder = new RecordingFolder(RemoteFolder.Open(options, progress), options.DryRun);
        DatabasePath = options.DatabasePath;
        if (!options.DryRun)
            return;

        m_temporary = new TemporaryFolder();
        DatabasePath = Path.Combine(m_temporary.Path, "dry-run.sqlite");
        if (File.Exists(options.DatabasePath))
            RepairDatabaseFile.Copy(options.DatabasePath, DatabasePath);
    }

    /// <summary>The database to open.</summary>
    internal string DatabasePath { get; }

    /// <summary>The folder to work with.</summary>
    internal RecordingFolder Folder { get; }

    public void Dispose()
    {
        Folder.Dispose();
        m_temporary?.Dispose();
    }
}
