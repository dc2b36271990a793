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

    /// <summary>As <see cref="Failed"/>: there is no such database, or no backup in the remote folder.</summary>
    internal const int NoBackup = 10;

    /// <summary>As <see cref="Failed"/>: another program works on the database.</summary>
    internal const int Locked = 11;

    /// <summary>As <see cref="Failed"/>: the passphrase does not open the volumes, or none was given.</summary>
    internal const int WrongPassphrase = 12;

    /// <summary>Interrupted by the user.</summary>
    internal const int Cancelled = 130;

    private static readonly Dictionary<string, int> s_ofHelpIds = new(StringComparer.Ordinal)
    {
        ["DatabaseDoesNotExist"] = NoBackup,
        ["EmptyRemoteLocation"] = NoBackup,
        ["EmptyRemoteLocationWithPrefix"] = NoBackup,
        ["FolderMissing"] = NoBackup,
        ["RemoteFolderEmptyWithPrefix"] = NoBackup,
        ["DatabaseIsBeingFilled"] = Locked,
        ["DatabaseIsBusy"] = Locked,
        ["InvalidArgument"] = Usage,
        ["MissingPassphrase"] = WrongPassphrase,
        ["WrongPassphrase"] = WrongPassphrase,
        ["Cancelled"] = Cancelled,
    };

    /// <summary>What a failure with a help id ends with; unexpected ones have none.</summary>
    internal static int Of(string helpId) => s_ofHelpIds.GetValueOrDefault(helpId, Failed);
}
