// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Tool.Cli;

/// <summary>What the tool returns to the shell. Documented in the README and in the help text.</summary>
internal static class ExitCode
{
    /// <summary>Done, nothing found to be wrong.</summary>
    internal const int Ok = 0;

    /// <summary>Done, and what was looked for was found: differences, problems, files that could not be restored.</summary>
    internal const int Found = 1;

    /// <summary>The command line is wrong; nothing was done.</summary>
    internal const int Usage = 2;

    /// <summary>Refused or failed for a reason a user can mend; the message says how, with its help id.</summary>
    internal const int Failed = 3;

    /// <summary>Failed in a way nobody expected.</summary>
    internal const int Internal = 4;

    /// <summary>Interrupted by the user.</summary>
    internal const int Cancelled = 130;
}
