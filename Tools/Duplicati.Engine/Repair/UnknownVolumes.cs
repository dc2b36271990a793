// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Engine.VolumeTest;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Repair;

/// <summary>
/// Deals with volumes in the remote folder that the database does not know. A file list or an index volume that agrees with the database is
/// used again; what else there is may be somebody's only copy, and is deleted only on demand.
/// </summary>
internal sealed class UnknownVolumes(RepairContext context, RepairChoices choices)
{
    /// <summary>Scans Fileset, one row a version.</summary>
    private const string PARTIAL_TIMES = """SELECT "Timestamp" FROM "Fileset" WHERE "IsFullBackup" = 0""";

    private readonly List<string> m_adopted = [];
    private readonly List<string> m_kept = [];
    private readonly List<DiscardedVolume> m_discarded = [];
    private readonly HashSet<string> m_others = new(StringComparer.Ordinal);
    private readonly HashSet<string> m_unread = new(StringComparer.Ordinal);

    /// <summary>Whether the database has lost rows, so that what it does not know may be needed, and nothing of that is deleted.</summary>
    internal bool IsIncomplete { get; set; }

    /// <summary>Names of volumes that are used again.</summary>
    internal IReadOnlyList<string> Adopted => m_adopted;

    /// <summary>Names of those left as they are.</summary>
    internal IReadOnlyList<string> Kept => m_kept;

    /// <summary>Those deleted.</summary>
    internal IReadOnlyList<DiscardedVolume> Discarded => m_discarded;

    /// <summary>Whether a volume turned out to be of another backup, or cannot be read now.</summary>
    internal bool MustStay(string name) => m_others.Contains(name) || m_unread.Contains(name);

    /// <summary>Adopts what can be used; the rest is deleted or kept, see <see cref="Tell"/>. Commits.</summary>
    internal async Task SettleAsync(IReadOnlyList<RemoteFile> files, bool delete, CancellationToken token)
    {
        var rest = new List<RemoteFile>();
        foreach (var file in files)
        {
            if (await TryAdoptAsync(file, token).ConfigureAwait(false))
                m_adopted.Add(file.Name);
            else
                rest.Add(file);
        }

        IsIncomplete |= await HasListOfPartialAsync(rest, token).ConfigureAwait(false);
        if (delete && !IsIncomplete)
        {
            var doomed = await DoomedAsync(rest, token).ConfigureAwait(false);
            await DeleteAsync(doomed.FindAll(choices.MayDiscard), token).ConfigureAwait(false);
        }

        m_kept.AddRange(rest.Select(x => x.Name).Except(m_discarded.Select(x => x.Name)));
    }

    /// <summary>Tells of those that are kept: last, as it depends on what was found elsewhere what may be done with them.</summary>
    /// <param name="lost">What helps, if blocks of missing volumes have been looked for in vain; else null.</param>
    internal void Tell(LostBlocksRemedy? lost)
    {
        var isForRecreate =
            IsIncomplete || VolumeAdvice.IsForRecreate(lost, m_kept.Exists(x => VolumeName.Parse(x)!.Type == RemoteVolumeType.Blocks));
        foreach (var name in m_kept)
        {
            var remedy =
                m_others.Contains(name) ? Advice.OtherBackup()
                : m_unread.Contains(name) ? RemoteFileUnreadableException.REMEDY
                : isForRecreate ? VolumeAdvice.Recreate(lost)
                : lost?.Before + Advice.UnknownVolume();
            context.Progress.Warning($"{name} is not known to the database and was left as it is. {remedy}");
        }
    }

    // What a version has lost may be known to a list of its time alone, and be in volumes that nobody knows either: until a recreate has
    // read it, or the version is deleted.
    private async Task<bool> HasListOfPartialAsync(List<RemoteFile> files, CancellationToken token)
    {
        var partial = DumpQuery
            .Rows(context.Database.Connection, PARTIAL_TIMES, x => DateTime.UnixEpoch.AddSeconds(x.GetInt64(0)))
            .ToHashSet();
        foreach (var file in files.Where(x => partial.Count > 0 && VolumeName.Parse(x.Name)!.Type == RemoteVolumeType.Files))
        {
            if (await new UnknownFilelist(context, file).OwnTimeAsync(token).ConfigureAwait(false) is { } time && partial.Contains(time))
                return true;
        }

        return false;
    }

    // Each is opened before it goes: it may be of another backup.
    private async Task<List<DiscardedVolume>> DoomedAsync(List<RemoteFile> files, CancellationToken token)
    {
        var doomed = new List<DiscardedVolume>();
        foreach (var file in files.Where(x => !m_others.Contains(x.Name) && !m_unread.Contains(x.Name)))
        {
            try
            {
                using var download = await context.Downloader.FetchAsync(file.Name, token).ConfigureAwait(false);
                using var archive = VolumeArchive.Open(download.Content, file.Name);
                archive.Manifest.Require(file.Name, context.Settings.Format);
                doomed.Add(new DiscardedVolume(file.Name, file.Size));
            }
            catch (InvalidManifestException ex) when (ex.IsOfOther)
            {
                context.Progress.Warning(ex.What());
                m_others.Add(file.Name);
            }
            catch (VolumeException ex)
            {
                context.Progress.Warning(ex.What());
                doomed.Add(new DiscardedVolume(file.Name, file.Size) { IsUnread = true });
            }
            catch (RemoteFileException ex)
            {
                Note(ex, file.Name);
                context.Progress.Warning(ex.What());
            }
        }

        return doomed;
    }

    private async Task DeleteAsync(List<DiscardedVolume> volumes, CancellationToken token)
    {
        foreach (var (name, size) in volumes)
            await context
                .Database.RegisterRemoteVolumeAsync(name, VolumeName.Parse(name)!.Type, size, RemoteVolumeState.Deleting, token)
                .ConfigureAwait(false);
        if (volumes.Count > 0)
            await context
                .Remover.RemoveAsync([.. volumes.Select(x => new RemoteVolume(x.Name, null!, x.Bytes))], token)
                .ConfigureAwait(false);
        m_discarded.AddRange(volumes);
    }

    /// <summary>Links an index volume that the database knows, but not of what, to the block volumes it describes. Commits.</summary>
    internal Task<bool> RelinkAsync(IRemoteVolume index, CancellationToken token) =>
        TryAsync(index.Name, index.Hash, index.Size, () => context.Database.GetRemoteVolumeIDAsync(index.Name, token), token);

    private Task<bool> TryAdoptAsync(RemoteFile file, CancellationToken token) =>
        VolumeName.Parse(file.Name)!.Type switch
        {
            RemoteVolumeType.Index => TryAsync(
                file.Name,
                null,
                -1,
                () =>
                    context.Database.RegisterRemoteVolumeAsync(
                        file.Name,
                        RemoteVolumeType.Index,
                        file.Size,
                        RemoteVolumeState.Uploaded,
                        token
                    ),
                token
            ),
            RemoteVolumeType.Files => new UnknownFilelist(context, file).TryAdoptAsync(token),
            _ => Task.FromResult(false),
        };

    private async Task<bool> TryAsync(string name, string? hash, long size, Func<Task<long>> getId, CancellationToken token)
    {
        try
        {
            using var download = await context.Downloader.FetchAsync(name, hash, size, token).ConfigureAwait(false);
            var described = await CheckAsync(download.Content, name, token).ConfigureAwait(false);
            await LinkAsync(name, await getId().ConfigureAwait(false), download, described, token).ConfigureAwait(false);
            return true;
        }
        catch (Exception ex) when (ex is VolumeException or RemoteFileException || ex.GetType() == typeof(Exception))
        {
            // The checks of the data layer throw the base type (contract B, 5.3).
            Note(ex, name);
            context.Progress.Warning($"{name} cannot be used: {ex.What()}");
            return false;
        }
    }

    private void Note(Exception failure, string name)
    {
        if (failure is InvalidManifestException { IsOfOther: true })
            m_others.Add(name);
        else if (failure is RemoteFileUnreadableException)
            m_unread.Add(name);
    }

    private async Task<List<long>> CheckAsync(Stream content, string name, CancellationToken token)
    {
        var database = context.Database;
        var settings = context.Settings;
        using var reader = IndexVolumeReader.Open(content, name);
        reader.Manifest.Require(name, settings.Format);
        var described = new List<long>();
        foreach (var volume in reader.ReadVolumes())
        {
            using (volume)
            {
                var blocks = volume.ReadBlocks().ToList();
                var known = await database.GetRemoteVolumeAsync(volume.Name.FileName, token).ConfigureAwait(false);
                if (
                    known.State is not (RemoteVolumeState.Uploaded or RemoteVolumeState.Verified)
                    || known.Hash != volume.Hash
                    || known.Size != volume.Size
                )
                    throw new CorruptVolumeException(
                        name,
                        $"It describes {volume.Name}, which the database does not know as it is described."
                    );
                await database.CheckAllBlocksAreInVolumeAsync(volume.Name.FileName, blocks, token).ConfigureAwait(false);
                described.Add(known.ID);
            }
        }

        foreach (var list in reader.ReadBlocklists())
            await database
                .CheckBlocklistCorrectAsync(
                    list.Hash,
                    list.Digests.Length,
                    Texts(list.Digests),
                    settings.BlockSize,
                    settings.DigestSize,
                    token
                )
                .ConfigureAwait(false);
        return described.Count > 0 && reader.RejectedBlocklists == 0
            ? described
            : throw new CorruptVolumeException(name, "It describes nothing, or has damaged blocklists.");
    }

    private async Task LinkAsync(string name, long id, VolumeDownloader.Download download, List<long> described, CancellationToken token)
    {
        var database = context.Database;
        foreach (var volume in described)
            await database.AddIndexBlockLinkAsync(id, volume, token).ConfigureAwait(false);
        await database
            .UpdateRemoteVolumeAsync(name, RemoteVolumeState.Verified, download.Length, download.Hash, token)
            .ConfigureAwait(false);
        await database.Transaction.CommitAsync("CommitIndexFileTransaction", true, token).ConfigureAwait(false);
        context.Progress.Message($"{name} was not known to describe anything and is used again");
    }

    private IEnumerable<string> Texts(ReadOnlyMemory<byte> digests)
    {
        for (var offset = 0; offset < digests.Length; offset += context.Settings.DigestSize)
            yield return Convert.ToBase64String(digests.Span.Slice(offset, context.Settings.DigestSize));
    }
}

/// <summary>
/// A file list in the remote folder that the database does not know, and that may belong to a version whose list the database has lost.
/// </summary>
/// <param name="context">What a repair works on.</param>
/// <param name="file">The list.</param>
/// <param name="cut">The version, if it is one that has lost entries, which the list may have besides; else it says the same.</param>
internal sealed class UnknownFilelist(RepairContext context, RemoteFile file, long? cut = null)
{
    private readonly LocalRepairDatabase m_database = context.Database;

    /// <summary>Gives the list back to the version of its second, if it says the same, and commits; else changes nothing.</summary>
    /// <exception cref="Exception">It is there and cannot be read by this command, see <see cref="IsClosed"/>, and may have what a version
    /// has lost.</exception>
    internal async Task<bool> TryAdoptAsync(CancellationToken token)
    {
        var orphans = await m_database.MissingRemoteFilesetsAsync(token).ToListAsync(token).ConfigureAwait(false);
        if (orphans.Count == 0)
            return false;

        try
        {
            var time = await TimeAsync(ofThisBackup: false, token).ConfigureAwait(false);
            var orphan = orphans.FindIndex(x => x.Timestamp == time && (cut ?? x.FilesetID) == x.FilesetID);
            if (orphan < 0)
                return false;

            var id = await m_database
                .RegisterRemoteVolumeAsync(file.Name, RemoteVolumeType.Files, file.Size, RemoteVolumeState.Uploaded, token)
                .ConfigureAwait(false);
            await m_database.LinkFilesetToVolumeAsync(orphans[orphan].FilesetID, id, token).ConfigureAwait(false);
            if (await SaysTheSameAsync(token).ConfigureAwait(false))
            {
                await m_database.Transaction.CommitAsync("CommitFilesetTransaction", true, token).ConfigureAwait(false);
                context.Progress.Message($"{file.Name} was not known to the database and is used again");
                return true;
            }
        }
        catch (Exception ex) when (ex is VolumeException or RemoteFileException && (cut is null || !IsClosed(ex)))
        {
            context.Progress.Warning($"{file.Name} cannot be used: {ex.What()}");
        }

        await m_database.Transaction.RollBackAsync("RollbackUnknownFilelist", true, token).ConfigureAwait(false);
        return false;
    }

    /// <summary>Whether a list may be whole though it was not read: another command, or the same one later, may read it.</summary>
    internal static bool IsClosed(Exception failure) =>
        failure is RemoteFileUnreadableException or MissingPassphraseException or UnsupportedVolumeException;

    /// <summary>The time of its version, or that of its name if it cannot be read; null if it is of another backup.</summary>
    internal async Task<DateTime?> OwnTimeAsync(CancellationToken token)
    {
        try
        {
            return await TimeAsync(ofThisBackup: true, token).ConfigureAwait(false);
        }
        catch (InvalidManifestException ex) when (ex.IsOfOther)
        {
            return null;
        }
        catch (Exception ex) when (ex is VolumeException or RemoteFileException)
        {
            return VolumeName.Parse(file.Name)!.Time;
        }
    }

    // Of the version: a repair may have given the list another name.
    private async Task<DateTime> TimeAsync(bool ofThisBackup, CancellationToken token)
    {
        using var download = await context.Downloader.FetchAsync(file.Name, token).ConfigureAwait(false);
        using var filelist = FilelistReader.Open(download.Content, file.Name);
        if (ofThisBackup)
            filelist.Manifest.Require(file.Name, context.Settings.Format);
        return filelist.FilesetTime ?? VolumeName.Parse(file.Name)!.Time;
    }

    private async Task<bool> SaysTheSameAsync(CancellationToken token)
    {
        using var download = await context.Downloader.FetchAsync(file.Name, token).ConfigureAwait(false);
        await m_database
            .UpdateRemoteVolumeAsync(file.Name, RemoteVolumeState.Verified, download.Length, download.Hash, token)
            .ConfigureAwait(false);
        var test = await LocalTestDatabase.CreateAsync(m_database, null, token).ConfigureAwait(false);
        await using var testScope = test.ConfigureAwait(false);
        var differences = await new VolumeComparer(test, context.Downloader, context.Settings)
            .CompareAsync(new RemoteVolume(file.Name, download.Hash, download.Length), token)
            .ConfigureAwait(false);
        return differences.TrueForAll(x => cut is not null && x.Status == TestEntryStatus.Extra);
    }
}
