// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Interface;

/// <summary>An error whose message is meant for the user; the help id names it across languages and releases.</summary>
public class UserInformationException : Exception
{
    /// <summary>The stable name of the error.</summary>
#pragma warning disable CA1051 // the contract: callers and tests read a public field
    public readonly string HelpID;
#pragma warning restore CA1051

    /// <summary>Makes an error without a cause.</summary>
    /// <param name="message">What the user reads.</param>
    /// <param name="helpId">The stable name.</param>
    public UserInformationException(string message, string helpId)
        : base(message) => HelpID = helpId;

    /// <summary>Makes an error with a cause.</summary>
    /// <param name="message">What the user reads.</param>
    /// <param name="helpId">The stable name.</param>
    /// <param name="innerException">The cause.</param>
    public UserInformationException(string message, string helpId, Exception innerException)
        : base(message, innerException) => HelpID = helpId;
}

/// <summary>The local database contradicts itself.</summary>
public class DatabaseInconsistencyException : UserInformationException
{
    private const string DEFAULT_HELP_ID = "DatabaseInconsistency";

    /// <summary>Makes an error with the help id <c>DatabaseInconsistency</c>.</summary>
    /// <param name="message">What the user reads.</param>
    public DatabaseInconsistencyException(string message)
        : base(message, DEFAULT_HELP_ID) { }

    /// <summary>Makes an error with its own help id.</summary>
    /// <param name="message">What the user reads.</param>
    /// <param name="helpId">The stable name.</param>
    public DatabaseInconsistencyException(string message, string helpId)
        : base(message, helpId) { }

    /// <summary>Makes an error with a cause and the help id <c>DatabaseInconsistency</c>.</summary>
    /// <param name="message">What the user reads.</param>
    /// <param name="innerException">The cause.</param>
    public DatabaseInconsistencyException(string message, Exception innerException)
        : base(message, DEFAULT_HELP_ID, innerException) { }

    /// <summary>Makes an error with a cause and its own help id.</summary>
    /// <param name="message">What the user reads.</param>
    /// <param name="helpId">The stable name.</param>
    /// <param name="innerException">The cause.</param>
    public DatabaseInconsistencyException(string message, string helpId, Exception innerException)
        : base(message, helpId, innerException) { }
}
