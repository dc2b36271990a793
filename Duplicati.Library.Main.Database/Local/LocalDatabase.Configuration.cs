// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Configuration;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalDatabase
{
    private const string REPAIR_IN_PROGRESS = "repair-in-progress";
    private const string PARTIALLY_RECREATED = "partially-recreated";
    private const string TERMINATED_WITH_ACTIVE_UPLOADS = "terminated-with-active-uploads";

    /// <summary>The options stored in the database, in a fresh dictionary with ordinal keys.</summary>
    public Task<IDictionary<string, string>> GetDbOptionsAsync(CancellationToken token) =>
        Session.ShortAsync<IDictionary<string, string>>(ConfigurationReads.All, token, tellsMore: false);

    /// <summary>Makes the given options the only ones stored in the database. Does not commit.</summary>
    public Task SetDbOptionsAsync(IDictionary<string, string> options, CancellationToken token) =>
        Session.ShortAsync(
            session =>
            {
                using (new Logging.Timer(LOGTAG, "SetDbOptions", "Storing the database options"))
                    ConfigurationWrites.Replace(session, options);
            },
            token
        );

    /// <summary>Whether a repair has begun and not ended. With a value, sets that and commits the shared transaction.</summary>
    public Task<bool> RepairInProgressAsync(CancellationToken token, bool? value = null) => FlagAsync(REPAIR_IN_PROGRESS, value, token);

    /// <summary>
    /// Whether the database was recreated from a part of the filesets. With a value, sets that and commits the shared transaction.
    /// </summary>
    public Task<bool> PartiallyRecreatedAsync(CancellationToken token, bool? value = null) => FlagAsync(PARTIALLY_RECREATED, value, token);

    /// <summary>
    /// Whether the last operation ended while uploads were running. With a value, sets that and commits the shared transaction.
    /// </summary>
    public Task<bool> TerminatedWithActiveUploadsAsync(CancellationToken token, bool? value = null) =>
        FlagAsync(TERMINATED_WITH_ACTIVE_UPLOADS, value, token);

    private Task<bool> FlagAsync(string key, bool? value, CancellationToken token) =>
        Session.ShortAsync(
            session =>
            {
                if (value is null)
                    return ConfigurationReads.Has(session, key);

                ConfigurationWrites.SetFlag(session, key, value.Value);
                m_rtr.Commit($"Update{key}");
                return value.Value;
            },
            token,
            tellsMore: false
        );
}
