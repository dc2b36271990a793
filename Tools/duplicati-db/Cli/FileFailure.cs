// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;

namespace Duplicati.Tool.Cli;

/// <summary>What a user can do about a failure of the file system.</summary>
internal static class FileFailure
{
    // EROFS of Linux and macOS; ERROR_WRITE_PROTECT of Windows.
    private const int ReadOnly = 30;
    private const int WindowsWriteProtect = unchecked((int)0x80070013);

    /// <summary>Help id and remedy of a failure.</summary>
    internal static (string HelpId, string Message) Describe(Exception failure) =>
        failure switch
        {
            IOException when DiskSpace.IsExhausted(failure) => (
                "DiskIsFull",
                $"There is no space left, on the disk or within a limit: {Sentence(failure)} Free some."
            ),
            IOException { HResult: ReadOnly or WindowsWriteProtect } => (
                "FileIsReadOnly",
                $"The file system is read-only: {Sentence(failure)} Choose another folder."
            ),
            FileNotFoundException or DirectoryNotFoundException => ("FileMissing", $"{Sentence(failure)} Check the path."),
            UnauthorizedAccessException => ("AccessDenied", $"{Sentence(failure)} Check the permissions of the file and its folder."),
            ArgumentException { ParamName: { } name } => (
                failure.GetType().Name,
                failure.Message.Replace($" (Parameter '{name}')", "", StringComparison.Ordinal)
            ),
            _ => (failure.GetType().Name, failure.Message),
        };

    private static string Sentence(Exception failure) => failure.Message.TrimEnd('.', ' ') + ".";
}
