// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Interface;

/// <summary>A log line about a remote volume.</summary>
public interface IListResultRemoteLog
{
    /// <summary>When it was written, UTC.</summary>
    DateTime Timestamp { get; }

    /// <summary>The text.</summary>
    string Message { get; }
}
