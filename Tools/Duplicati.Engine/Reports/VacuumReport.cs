// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Reports;

/// <summary>What a vacuum did.</summary>
/// <param name="BytesBefore">Size of the file before.</param>
/// <param name="BytesAfter">Size of the file after.</param>
public sealed record VacuumReport(long BytesBefore, long BytesAfter);
