// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.BugReport;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>Turns a copy of a database into one that can be shown to others.</summary>
internal class LocalBugReportDatabase : LocalDatabase
{
    private const string OperationName = "BugReportCreate";

    /// <summary>Opens, creates or upgrades the database at a path; disposing closes the connection.</summary>
    public static Task<LocalBugReportDatabase> CreateAsync(string path, LocalBugReportDatabase? dbnew, CancellationToken token) =>
        OpenAsync(path, OperationName, dbnew ?? new LocalBugReportDatabase(), token);

    /// <summary>
    /// Takes out every other text that may say something of its owner, before <see cref="ObfuscateAsync"/>. Not part of the layer that is
    /// replaced.
    /// </summary>
    internal Task ScrubAsync(CancellationToken token) => Session.LongAsync(Scrubbing.Run, token);

    /// <summary>
    /// Removes paths, passphrase, metadata texts and messages with paths, commits, ends the transaction for good and writes the
    /// file anew without them. Linear in the paths. Afterwards only <see cref="LocalDatabase.VacuumAsync"/> and disposal work.
    /// </summary>
    public async Task ObfuscateAsync(CancellationToken token)
    {
        await Session.LongAsync(Obfuscation.Run, token).ConfigureAwait(false);
        await m_rtr.CommitAsync("CommitUpdateBugReport", restart: false, token).ConfigureAwait(false);
        await VacuumAsync(token).ConfigureAwait(false);
    }
}
