// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Reports;

/// <summary>
/// What compacting did, or would do in a dry run, where the bytes uploaded may differ by a few, as times of day compress differently.
/// </summary>
/// <param name="ReadVolumes">Block volumes whose remaining blocks were copied.</param>
/// <param name="NewVolumes">Volumes uploaded, index volumes included.</param>
/// <param name="UploadedBytes">Their bytes.</param>
/// <param name="DeletedVolumes">Volumes deleted, index volumes included.</param>
/// <param name="DeletedBytes">Their bytes.</param>
public sealed record CompactReport(int ReadVolumes, int NewVolumes, long UploadedBytes, int DeletedVolumes, long DeletedBytes);
