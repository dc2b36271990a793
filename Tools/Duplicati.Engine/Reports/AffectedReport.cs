// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Reports;

/// <summary>What would be lost with some remote volumes.</summary>
/// <param name="Versions">Versions with content in them, the newest first.</param>
/// <param name="Files">Paths with content or metadata in them, by path.</param>
/// <param name="Messages">What the log says of them, the oldest first.</param>
/// <param name="Volumes">For volumes that are file lists: the block volumes that their versions need, by name.</param>
/// <param name="Unknown">Names that the database does not know.</param>
public sealed record AffectedReport(
    IReadOnlyList<AffectedVersion> Versions,
    IReadOnlyList<string> Files,
    IReadOnlyList<LogMessage> Messages,
    IReadOnlyList<string> Volumes,
    IReadOnlyList<string> Unknown
);

/// <summary>A version of a backup.</summary>
/// <param name="Version">0 = newest.</param>
/// <param name="Time">When it was made (UTC).</param>
public sealed record AffectedVersion(long Version, DateTime Time);

/// <summary>A message of the log.</summary>
/// <param name="Time">When it was written (UTC).</param>
/// <param name="Text">The text.</param>
public sealed record LogMessage(DateTime Time, string Text);
