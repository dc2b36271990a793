// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Batch;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Recreate;

/// <summary>The volumes of a recreate: what is in the remote folder, and what an interrupted run has read of it.</summary>
internal sealed class VolumePlan(
    EngineOptions options,
    IRemoteFolder folder,
    LocalRecreateDatabase recreate,
    ResumableRebuild resume,
    IEngineProgress progress,
    Func<CancellationToken, Task<string>>? withoutLists
)
{
    private readonly HashSet<string> m_done = new(StringComparer.Ordinal);
    private List<RemoteFile> m_listed = [];
    private Dictionary<string, RemoteFile> m_byName = [];

    /// <summary>Number of volumes that an earlier run has read.</summary>
    internal int Kept { get; private set; }

    /// <summary>The volumes of a type, by name.</summary>
    internal IEnumerable<RemoteFile> Of(RemoteVolumeType type) => m_listed.Where(x => VolumeName.Parse(x.Name)!.Type == type);

    /// <summary>The file lists, oldest first.</summary>
    internal List<RemoteFile> Filelists() => [.. Of(RemoteVolumeType.Files).OrderBy(x => VolumeName.Parse(x.Name)!.Time)];

    /// <summary>Those volumes that are still to be read.</summary>
    internal IEnumerable<RemoteFile> Open(IEnumerable<RemoteFile> files) => files.Where(x => !m_done.Contains(x.Name));

    /// <summary>
    /// Tells the remote folder what will be fetched: file lists, and index volumes unless only some of them may be needed.
    /// </summary>
    internal void Prefetch(bool withIndexes) =>
        folder.Prefetch(Open(Filelists().Concat(withIndexes ? Of(RemoteVolumeType.Index) : [])).Select(x => (x.Name, x.Size)));

    /// <summary>A file of the folder; null if it is not there.</summary>
    internal RemoteFile? Find(string name) => m_byName.GetValueOrDefault(name);

    /// <summary>Some volumes beside the lists that cost least to read: index volumes first, then the smallest.</summary>
    internal IEnumerable<RemoteFile> CheapestOthers(int count) =>
        Of(RemoteVolumeType.Index).OrderBy(x => x.Size).Concat(Of(RemoteVolumeType.Blocks).OrderBy(x => x.Size)).Take(count);

    /// <summary>The smallest volume that was read; null if there is none.</summary>
    internal RemoteFile? SmallestRead() => m_listed.Where(x => m_done.Contains(x.Name)).MinBy(x => x.Size);

    /// <summary>Whether everything that a volume says is in the tables.</summary>
    internal bool IsDone(string name) => m_done.Contains(name);

    /// <summary>Lists the remote folder, registers what is there, and compares it with what an interrupted run found.</summary>
    /// <param name="isRead">True if the interrupted run had read all volumes, so that no others may have come.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="CannotContinueException">A volume has gone or changed since, or has come when all were read.</exception>
    /// <exception cref="UserInformationException">Help ids <c>EmptyRemoteLocation</c>, <c>EmptyRemoteLocationWithPrefix</c>,
    /// <c>MissingPassphrase</c>; <see cref="OtherFolder.HELP_ID"/>: no volume that the interrupted run found is there.</exception>
    internal async Task PrepareAsync(bool isRead, CancellationToken token)
    {
        await ListAsync(token).ConfigureAwait(false);
        var known = await resume.VolumesAsync(token).ConfigureAwait(false);
        Compare(known);
        if (isRead && m_listed.FirstOrDefault(x => !known.ContainsKey(x.Name)) is { } late)
            throw new CannotContinueException($"{late.Name} has come into the remote folder");
        foreach (var (name, (_, isDone)) in known)
        {
            if (isDone)
                m_done.Add(name);
        }

        Kept = m_done.Count;
        foreach (var file in m_listed.Where(x => !known.ContainsKey(x.Name)))
            await RegisterAsync(file, token).ConfigureAwait(false);
    }

    /// <summary>Records that a volume is done, to be committed with its rows.</summary>
    internal Task SetDoneAsync(string name, CancellationToken token)
    {
        m_done.Add(name);
        return resume.SetDoneAsync(name, token);
    }

    private async Task ListAsync(CancellationToken token)
    {
        progress.Message("Listing remote folder");
        var all = await folder.ListAsync(token).ConfigureAwait(false);
        m_listed =
        [
            .. all.Where(x => VolumeName.OfBackup(x.Name, options.PrefixOrDefault) is not null)
                .OrderBy(x => x.Name, StringComparer.Ordinal),
        ];
        m_byName = m_listed.ToDictionary(x => x.Name, StringComparer.Ordinal);
        if (m_listed.Count == 0)
        {
            var prefixes = VolumeName.Prefixes(all.Select(x => x.Name));
            throw prefixes.Count > 0
                ? new UserInformationException(
                    $"No files of the prefix {options.PrefixOrDefault} were found at {options.Remote}; give --prefix for one that is there: {string.Join(", ", prefixes)}.",
                    "EmptyRemoteLocationWithPrefix"
                )
                : new UserInformationException($"No files were found at {options.Remote}; check the address.", "EmptyRemoteLocation");
        }

        if (options.Passphrase is null && m_listed.Any(x => VolumeName.Parse(x.Name)!.Encryption is not null))
            throw new UserInformationException(
                $"The backup at {options.Remote} is encrypted. {Advice.GivePassphrase()}",
                "MissingPassphrase"
            );
        if (withoutLists is not null && !Of(RemoteVolumeType.Files).Any())
            throw new UserInformationException(
                $"No file lists were found at {options.Remote}; without them there are no versions.{await withoutLists(token).ConfigureAwait(false)}",
                "EmptyRemoteLocation"
            );
    }

    private void Compare(Dictionary<string, (long Size, bool IsDone)> known)
    {
        // To begin anew would give up what was read for what is most likely a mistyped address.
        if (known.Count > 0 && !known.Any(x => Find(x.Key) is { } found && found.HasSize(x.Value.Size)))
            throw new UserInformationException(
                $"The unfinished recreate of {options.DatabasePath} has found {SizeText.Count(known.Count, "volume")}, and none is at {options.Remote}; is it the right folder? {Advice.OtherFolder()} To make a database of this folder all the same, move {recreate.Connection.DataSource} away first.",
                OtherFolder.HELP_ID
            );
        foreach (var (name, (size, _)) in known)
        {
            if (Find(name) is not { } present)
                throw new CannotContinueException($"{name} is no longer in the remote folder");
            if (!present.HasSize(size))
                throw new CannotContinueException($"{name} in the remote folder has {present.Size} bytes instead of {size}");
        }
    }

    private async Task RegisterAsync(RemoteFile file, CancellationToken token)
    {
        await resume.ExpectAsync(file.Name, file.Size, token).ConfigureAwait(false);
        if (await recreate.GetRemoteVolumeIDAsync(file.Name, token).ConfigureAwait(false) < 0)
        {
            await recreate
                .RegisterRemoteVolumeAsync(file.Name, VolumeName.Parse(file.Name)!.Type, file.Size, RemoteVolumeState.Uploaded, token)
                .ConfigureAwait(false);
            return;
        }

        // An index volume has named it when it was missing, and it has come back; what it says is believed of one of that size alone, as of
        // those that were there.
        var volume = await recreate.GetRemoteVolumeAsync(file.Name, token).ConfigureAwait(false);
        var isDescribed = !string.IsNullOrEmpty(volume.Hash);
        if (isDescribed && !file.HasSize(volume.Size))
            throw new CannotContinueException(
                $"{file.Name} has come into the remote folder with {file.Size} bytes instead of {volume.Size}"
            );
        await recreate
            .UpdateRemoteVolumeAsync(file.Name, RemoteVolumeState.Verified, isDescribed ? volume.Size : file.Size, volume.Hash, token)
            .ConfigureAwait(false);
    }
}

/// <summary>
/// What an interrupted recreate has left does not fit, so that it has to begin anew. The message says why, as the end of a sentence.
/// </summary>
internal sealed class CannotContinueException(string message) : Exception(message);
