// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Paths;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalDatabase
{
    /// <summary>
    /// The id of a path prefix (ordinal, case-sensitive), which is inserted if it is new. Completes synchronously; does not commit.
    /// </summary>
    public Task<long> GetOrCreatePathPrefixAsync(string prefix, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<long>(token);

        try
        {
            var session = Session;
            lock (session.ConnectionLock)
                return session.Service(static owner => new PathPrefixCache(owner)).GetOrCreate(prefix);
        }
        catch (Exception ex)
        {
            return Session.Failed<long>(ex);
        }
    }

    /// <summary>Splits a path into folder (with its separator) and name (with trailing separators).</summary>
    /// <exception cref="ArgumentException">The path is null or empty.</exception>
    public static KeyValuePair<string, string> SplitIntoPrefixAndName(string path) => PathSplitter.Split(path);
}
