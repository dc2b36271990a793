// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.VolumeTest;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database;

namespace Duplicati.Engine.Check;

/// <summary>How the remote folder and the database fit together.</summary>
/// <param name="Volumes">Volumes looked at.</param>
/// <param name="MissingIndexes">Indexes that an interrupted operation has left out.</param>
/// <param name="Inconsistency">What the database says of itself; null if nothing is wrong.</param>
/// <param name="Missing">Those that are not there.</param>
/// <param name="Resized">Those that are there with another size.</param>
/// <param name="GivenUp">Those that are there, and that complete versions need though their rows say that they go, are gone, or never
/// came.</param>
/// <param name="Extra">Those that the database does not know.</param>
/// <param name="Damaged">Those that are there in their size, and what is wrong with them.</param>
/// <param name="Different">File lists that say something else than the database.</param>
/// <param name="EmptyVersions">Versions without entries of which nobody knows that they had none.</param>
/// <param name="IsUnsettled">An interrupted operation has left something.</param>
/// <param name="Lost">What helps, if the blocks of all missing block volumes have been looked for in vain; else null.</param>
/// <param name="IsOutdated">The folder has a version that is newer than all that the database knows.</param>
internal sealed record VolumeFindings(
    int Volumes,
    int MissingIndexes,
    DatabaseInconsistencyException? Inconsistency,
    IReadOnlyList<RemoteVolumeEntry> Missing,
    IReadOnlyList<RemoteVolumeEntry> Resized,
    IReadOnlyList<RemoteVolumeEntry> GivenUp,
    IReadOnlyList<RemoteFile> Extra,
    IReadOnlyList<DamagedVolume> Damaged,
    IReadOnlyList<DifferentList> Different,
    IReadOnlyList<EmptyVersions.Finding> EmptyVersions,
    bool IsUnsettled,
    LostBlocksRemedy? Lost,
    bool IsOutdated
)
{
    /// <summary>Whether the folder has what only a recreated database would know.</summary>
    internal bool IsUnknown => IsOutdated || VolumeAdvice.IsForRecreate(Lost, VolumeAdvice.Unknown(Missing, Extra) is not null);
}

/// <summary>A volume of which something is wrong besides its size.</summary>
/// <param name="Volume">The volume.</param>
/// <param name="Problem">What reading it gave.</param>
internal sealed record DamagedVolume(RemoteVolumeEntry Volume, Exception Problem)
{
    /// <summary>What is wrong, without what to do.</summary>
    internal string What => Problem is VolumeException volume ? volume.Problem : Problem.Message;
}

/// <summary>A file list that says something else of its version than the database.</summary>
/// <param name="Volume">The list.</param>
/// <param name="Entries">Entries that only one of the two has, or that differ.</param>
/// <param name="First">The first of them.</param>
internal sealed record DifferentList(string Volume, int Entries, string First)
{
    /// <summary>What is wrong, without what to do.</summary>
    internal string What => $"{Volume} and the database differ in {SizeText.Count(Entries, "entry")} of the version, first {First}.";
}
