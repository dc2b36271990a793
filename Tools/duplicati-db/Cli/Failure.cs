// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Remote;
using Duplicati.Library.Interface;
using Duplicati.Library.SQLiteHelper.Migrations;
using Microsoft.Data.Sqlite;

namespace Duplicati.Tool.Cli;

/// <summary>What a failure is to a user.</summary>
/// <param name="Code">Exit code.</param>
/// <param name="HelpId">Its stable name.</param>
/// <param name="Message">What is wrong, and what can be done about it.</param>
/// <param name="IsPassing">Whether the same command can do better when its cause has gone.</param>
internal readonly record struct Failure(int Code, string HelpId, string Message, bool IsPassing = false)
{
    /// <summary>The failure of an exception.</summary>
    internal static Failure Of(Exception exception) =>
        exception switch
        {
            UserInformationException ex when DatabaseFailure.Behind(ex) is { } cause => Passing(DatabaseFailure.Describe(cause), cause),
            UserInformationException ex => new Failure(
                ExitCode.Of(ex.HelpID),
                ex.HelpID,
                ex.Message,
                ex is RemoteException || ex.HelpID == "DiskIsFull"
            ),
            OperationCanceledException => Passing(("Cancelled", "Interrupted.")),
            DatabaseUpgradeException ex => Passing(DatabaseFailure.Describe(ex), ex.InnerException),
            SqliteException ex => Passing(DatabaseFailure.Describe(ex), ex),
            IOException { InnerException: SqliteException ex } => Passing(DatabaseFailure.Describe(ex), ex),
            IOException or UnauthorizedAccessException => Passing(FileFailure.Describe(exception)),
            ArgumentException => Passing(FileFailure.Describe(exception)) with { IsPassing = false },
            _ => new Failure(ExitCode.Internal, exception.GetType().Name, exception.ToString()),
        };

    private static Failure Passing((string HelpId, string Message) described, Exception? cause = null) =>
        new(ExitCode.Of(described.HelpId), described.HelpId, described.Message, !DatabaseFailure.IsLasting(cause));
}
