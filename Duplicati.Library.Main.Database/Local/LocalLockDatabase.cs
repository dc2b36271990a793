// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Volumes;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>Reads and writes until when remote files are locked against deletion.</summary>
/// <remarks>Nothing here commits. One call chain at a time.</remarks>
internal class LocalLockDatabase : LocalListDatabase
{
    private const string OperationName = "Lock";

    /// <summary>Opens, creates or upgrades the database at a path and begins an operation; disposing closes the connection.</summary>
    public static Task<LocalLockDatabase> CreateAsync(string path, LocalLockDatabase? dbnew, CancellationToken token) =>
        OpenAsync(path, OperationName, dbnew ?? new LocalLockDatabase(), token);

    /// <summary>A child of another database object: same connection, transaction and operation; closes nothing.</summary>
    public static Task<LocalLockDatabase> CreateAsync(LocalDatabase database, CancellationToken token) =>
        ChildAsync(database, new LocalLockDatabase(), token);

    /// <summary>Sets until when a volume is locked; cut to whole seconds.</summary>
    /// <exception cref="Exception">There is no such volume.</exception>
    public Task UpdateRemoteVolumeLockExpirationAsync(string name, DateTime lockExpirationTime, CancellationToken token) =>
        Session.ShortAsync(session => VolumeLocks.Set(session, name, lockExpirationTime), token);

    /// <summary>
    /// Name and lock time (UTC; 1970 if unknown, never null) of all volumes, or of those whose time is unknown. A stable copy.
    /// </summary>
    public IAsyncEnumerable<(string Name, DateTime? LockExpirationTime)> GetRemoteVolumesWithLockExpirationAsync(
        bool onlyWithoutLockInformation,
        CancellationToken token
    ) => Session.SnapshotAsync(session => VolumeLocks.Read(session, onlyWithoutLockInformation), token, tellsMore: false);
}
