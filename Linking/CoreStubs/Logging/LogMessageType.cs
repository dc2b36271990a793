// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Logging;

/// <summary>The importance of a log message, least important first.</summary>
public enum LogMessageType
{
    /// <summary>Only written where it was asked for by tag or id.</summary>
    ExplicitOnly,

    /// <summary>How long something took, such as a query.</summary>
    Profiling,

    /// <summary>Detail for somebody who follows a single operation.</summary>
    Verbose,

    /// <summary>Something failed and is tried again.</summary>
    Retry,

    /// <summary>Progress a user may want to see.</summary>
    Information,

    /// <summary>What would have happened if this were not a dry run.</summary>
    DryRun,

    /// <summary>Something is wrong and the operation went on; part of the operation's result.</summary>
    Warning,

    /// <summary>Something failed; part of the operation's result.</summary>
    Error,

    /// <summary>Above everything: a threshold that lets nothing through.</summary>
    Disabled,
}
