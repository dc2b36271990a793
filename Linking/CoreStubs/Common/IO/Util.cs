// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Utility;

namespace Duplicati.Library.Common.IO;

/// <summary>Helpers for paths that may come from another operating system.</summary>
public static class Util
{
    private const string ALLOW_INSECURE_VARIABLE = "DUPLICATI__ALLOW_INSECURE_DATAFOLDER";
    private const string ALLOW_INSECURE_OPTION = "--allow-insecure-datafolder";

    /// <summary>The directory separator of this operating system.</summary>
    public static readonly string DirectorySeparatorString = Path.DirectorySeparatorChar.ToString();

    /// <summary>The other directory separator this operating system understands; the same one if there is none.</summary>
    public static readonly string AltDirectorySeparatorString = Path.AltDirectorySeparatorChar.ToString();

    /// <summary>The separator of the system a path comes from.</summary>
    /// <param name="path">A full path; may be null or blank.</param>
    /// <returns><c>/</c> for a path that is blank or begins with it, else <c>\</c>.</returns>
    public static string GuessDirSeparator(string? path) => string.IsNullOrWhiteSpace(path) || path.StartsWith('/') ? "/" : "\\";

    /// <summary>Whether the user allows a data folder that others can read, by environment variable or command line.</summary>
    /// <returns>True if existing files keep their permissions.</returns>
    public static bool AllowInsecureDataFolder()
    {
        if (Utility.Utility.ParseBool(Environment.GetEnvironmentVariable(ALLOW_INSECURE_VARIABLE), false))
            return true;
        foreach (var argument in Environment.GetCommandLineArgs())
            if (argument.Equals(ALLOW_INSECURE_OPTION, StringComparison.OrdinalIgnoreCase))
                return true;
            else if (argument.StartsWith(ALLOW_INSECURE_OPTION + "=", StringComparison.OrdinalIgnoreCase))
                return Utility.Utility.ParseBool(argument[(ALLOW_INSECURE_OPTION.Length + 1)..], true);
        return false;
    }
}
