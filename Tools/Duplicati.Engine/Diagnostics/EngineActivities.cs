// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Library.SQLiteHelper.Metrics;

namespace Duplicati.Engine.Diagnostics;

/// <summary>The engine's own activities: files that are moved to and from the remote folder. Costs nothing without a listener.</summary>
public static class EngineActivities
{
    /// <summary>The name to listen for.</summary>
    public const string SourceName = "Duplicati.Engine";

    private static readonly ActivitySource s_source = new(SourceName, DatabaseInstruments.VersionOf(typeof(EngineActivities).Assembly));

    /// <summary>Begins the transfer of one file; null if nobody listens.</summary>
    /// <param name="operation">Such as <c>put</c> or <c>get</c>.</param>
    /// <param name="fileName">The file.</param>
    /// <param name="size">Its bytes; negative while unknown.</param>
    internal static Activity? Transfer(string operation, string fileName, long size = -1)
    {
        var activity = s_source.StartActivity(operation, ActivityKind.Client);
        activity?.SetTag("file.name", fileName);
        if (size >= 0)
            activity?.SetTag("file.size", size);
        return activity;
    }
}
