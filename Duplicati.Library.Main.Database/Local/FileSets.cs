// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Common.IO;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Listing;
using Duplicati.Library.Main.Database.Paths;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Utility;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>
/// The filesets as they were when a listing began, which of them were chosen, and what is in those. Keeps one row a fileset in
/// memory; the lists of files take a path and some 30 bytes for each file found, and sizes for one page at a time.
/// </summary>
internal sealed class FileSets : LocalListDatabase.IFileSets
{
    private const int PAGE = 512;

    private static readonly string LOGTAG = Log.LogTagFromType<LocalListDatabase>();

    private readonly LocalListDatabase m_db;
    private readonly List<FilesetRow> m_all;
    private List<FilesetRow> m_selected;

    private FileSets(LocalListDatabase db, List<FilesetRow> all, List<FilesetRow> selected)
    {
        m_db = db;
        m_all = all;
        m_selected = selected;
    }

    private DatabaseSession Session => m_db.Session;

    /// <summary>Chooses filesets by time (its ticks 0 for none) and version.</summary>
    /// <exception cref="Exception">The time has ticks but its kind is unspecified.</exception>
    internal static FileSets Select(LocalListDatabase db, DatabaseSession session, DateTime time, long[]? versions)
    {
        var known = FilesetSelection.OfKnownKind(time);
        var ids = FilesetSelection.Matching(session, known, versions, false).ToHashSet();
        var all = FilesetListing.All(session);
        return new FileSets(db, all, all.FindAll(x => ids.Contains(x.Id)));
    }

    public IAsyncEnumerable<LocalListDatabase.IFileset> SetsAsync(CancellationToken token) =>
        Session.SnapshotAsync(
            session =>
                m_selected.ConvertAll(x =>
                {
                    var (count, size) = FilesetListing.Files(session, x.Id);
                    return (LocalListDatabase.IFileset)new Fileset(x, count, size);
                }),
            token
        );

    public IAsyncEnumerable<LocalListDatabase.IFileset> QuickSetsAsync(CancellationToken token) =>
        Session.SnapshotAsync(_ => m_all.ConvertAll(x => (LocalListDatabase.IFileset)new Fileset(x, -1, -1)), token);

    public Task TakeFirstAsync(CancellationToken token)
    {
        m_selected = [.. m_selected.Take(1)];
        return Task.CompletedTask;
    }

    public async IAsyncEnumerable<LocalListDatabase.IFileversion> SelectFilesAsync(
        IFilter filter,
        [EnumeratorCancellation] CancellationToken token
    )
    {
        var filesets = m_selected;
        var files = await MatchingAsync(filter, token).ConfigureAwait(false);
        for (var next = 0; next < files.Count; )
        {
            (var page, next) = await Session.LongAsync(session => Page(session, filesets, files, next), token).ConfigureAwait(false);
            foreach (var version in page)
                yield return version;
        }
    }

    public async IAsyncEnumerable<LocalListDatabase.IFileversion> GetLargestPrefixAsync(
        IFilter filter,
        [EnumeratorCancellation] CancellationToken token
    )
    {
        var filesets = m_selected;
        var files = await MatchingAsync(filter, token).ConfigureAwait(false);
        var folders = await Session.LongAsync(session => CommonFolders.Of(Present(session, filesets, files)), token).ConfigureAwait(false);
        foreach (var folder in folders)
            yield return new FileVersion(folder, []);
    }

    public async IAsyncEnumerable<LocalListDatabase.IFileversion> SelectFolderContentsAsync(
        IFilter filter,
        [EnumeratorCancellation] CancellationToken token
    )
    {
        var filesets = m_selected;
        var folder = FolderOf(filter);
        var children = await Session
            .LongAsync(
                session =>
                {
                    using var timer = new Logging.Timer(LOGTAG, "ListFolderContents", $"Listing what is in {folder}");
                    return Children(session, filesets, folder);
                },
                token
            )
            .ConfigureAwait(false);
        foreach (var child in children)
            yield return child;
    }

    /// <summary>Nothing is held in the database.</summary>
    public void Dispose() { }

    /// <summary>Nothing is held in the database.</summary>
    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private async Task<List<SizedFile>> MatchingAsync(IFilter? filter, CancellationToken token)
    {
        var table = await LocalDatabase
            .FilteredFilenameTable.CreateFilteredFilenameTableAsync(m_db, filter ?? new FilterExpression(), token)
            .ConfigureAwait(false);
        await using var _ = table.ConfigureAwait(false);
        return await Session.LongAsync(session => FileSizes.InTable(session, table.Tablename), token).ConfigureAwait(false);
    }

    private static (List<FileVersion> Page, int Next) Page(
        DatabaseSession session,
        List<FilesetRow> filesets,
        List<SizedFile> files,
        int next
    )
    {
        var result = new List<FileVersion>(PAGE);
        using var sizes = new SizesByVersion(session, filesets);
        while (next < files.Count && result.Count < PAGE)
        {
            if (SizesOfNext(sizes, files, ref next) is { } version)
                result.Add(version);
        }

        return (result, next);
    }

    private static IEnumerable<string> Present(DatabaseSession session, List<FilesetRow> filesets, List<SizedFile> files)
    {
        using var sizes = new SizesByVersion(session, filesets);
        for (var next = 0; next < files.Count; )
        {
            if (SizesOfNext(sizes, files, ref next) is { } version)
                yield return version.Path;
        }
    }

    // Files of one path follow each other in the list.
    private static FileVersion? SizesOfNext(SizesByVersion versions, List<SizedFile> files, ref int next)
    {
        var first = next;
        do next++;
        while (next < files.Count && files[next].Path == files[first].Path);
        var sizes = versions.Of(System.Runtime.InteropServices.CollectionsMarshal.AsSpan(files)[first..next]);
        return sizes is null ? null : new FileVersion(files[first].Path, sizes);
    }

    // Below a folder, the paths of each sub-folder follow each other, since its name with the separator begins them all.
    private static List<FileVersion> Children(DatabaseSession session, List<FilesetRow> filesets, string folder)
    {
        var files = FileSizes.Below(session, folder);
        var result = new List<FileVersion>();
        var none = filesets.ConvertAll(_ => -1L);
        using var sizes = new SizesByVersion(session, filesets);
        for (var next = 0; next < files.Count; )
        {
            var end = files[next].Path.AsSpan(folder.Length).IndexOf(folder[^1]);
            var child = end < 0 ? files[next].Path : files[next].Path[..(folder.Length + end + 1)];
            var isKnown = result.Count > 0 && result[^1].Path == child;
            if (isKnown)
                next++;
            else if (SizesOfNext(sizes, files, ref next) is { } version)
                result.Add(end < 0 ? version : new FileVersion(child, none));
        }

        return result;
    }

    private static string FolderOf(IFilter? filter)
    {
        var path = filter switch
        {
            null or { Empty: true } => "",
            FilterExpression { Type: FilterType.Simple } list when list.GetSimpleList() is [var only] => only,
            _ => throw new ArgumentException(
                $"Filter for list-folder-contents must be a path prefix with no wildcards: {filter}",
                nameof(filter)
            ),
        };
        return PathEnd.WithSeparator(path, Util.GuessDirSeparator(path));
    }

    private sealed class Fileset(FilesetRow row, long count, long size) : LocalListDatabase.IFileset
    {
        public long Version { get; } = row.Version;

        public int IsFullBackup { get; set; } = row.IsFullBackup;

        public DateTime Time { get; } = row.Utc.ToLocalTime();

        public long FileCount { get; } = count;

        public long FileSizes { get; } = size;

        public string? Label { get; } = row.Label;
    }

    private sealed class FileVersion(string path, IReadOnlyList<long> sizes) : LocalListDatabase.IFileversion
    {
        public string Path { get; } = path;

        public async IAsyncEnumerable<long> SizesAsync([EnumeratorCancellation] CancellationToken token)
        {
            // The sizes are in memory: nothing here ever waits, which callers that block on it rely on.
            await Task.CompletedTask.ConfigureAwait(false);
            foreach (var size in sizes)
            {
                token.ThrowIfCancellationRequested();
                yield return size;
            }
        }
    }
}
