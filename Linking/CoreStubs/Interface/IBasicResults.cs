// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Interface;

/// <summary>What every operation reports.</summary>
public interface IBasicResults
{
    /// <summary>When the operation began, UTC.</summary>
    DateTime BeginTime { get; }

    /// <summary>When it ended, UTC; ticks 0 while it runs.</summary>
    DateTime EndTime { get; }
}
