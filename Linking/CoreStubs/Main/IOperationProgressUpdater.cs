// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Main;

/// <summary>Takes the progress of an operation.</summary>
internal interface IOperationProgressUpdater
{
    /// <summary>Reports what is done so far.</summary>
    /// <param name="count">Files finished.</param>
    /// <param name="size">Bytes finished.</param>
    void UpdatefilesProcessed(long count, long size);
}
