// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Files;

namespace Duplicati.UnitTest.Reliability.PowerLoss;

/// <summary>Records every step that changes files of a folder, or flushes them, whether SQLite takes it or the layer itself.</summary>
/// <remarks>One at a time. Shared memory of connections is left out: no loss of power leaves any of it.</remarks>
internal sealed class DiskRecorder : IDisposable
{
    private readonly string m_folder;
    private readonly DurableFiles m_before;
    private readonly Dictionary<string, int> m_names = new(StringComparer.Ordinal);
    private readonly List<DiskStep> m_steps = [];
    private int m_last;

    /// <param name="folder">What is in it now is taken for flushed.</param>
    internal DiskRecorder(string folder)
    {
        m_folder = folder + Path.DirectorySeparatorChar;
        foreach (var (name, content) in Content(folder))
        {
            m_names.Add(name, ++m_last);
            Before.Add(m_last, (name, content));
        }

        m_before = DurableFiles.Standard;
        DurableFiles.Standard = new Files(this, m_before);
        EngineFiles.Show(this);
    }

    /// <summary>The files that were there at the begin, by number.</summary>
    internal Dictionary<int, (string Name, byte[] Content)> Before { get; } = [];

    internal IReadOnlyList<DiskStep> Steps => m_steps;

    /// <summary>Asked before SQLite writes to a file or cuts it off: the error of the engine that it comes to; 0 to do it.</summary>
    internal Func<int>? Fault { get; init; }

    /// <summary>Told the number of each step when it is done, from 1.</summary>
    internal Action<int>? After { get; init; }

    /// <summary>What is in a folder, as a loss of power can leave it.</summary>
    internal static Dictionary<string, byte[]> Content(string folder) =>
        Directory
            .GetFiles(folder)
            .Where(x => NameOf(x) is not null)
            .ToDictionary(x => Path.GetFileName(x), Databases.Read, StringComparer.Ordinal);

    /// <summary>The caller was told that everything so far is done.</summary>
    internal void Mark() => EngineFiles.Do(() => Add(new DiskStep(DiskStepKind.Mark)));

    internal int? Opened(string path)
    {
        if (Inside(path) is not { } name)
            return null;
        if (m_names.TryGetValue(name, out var number))
            return number;
        m_names.Add(name, ++m_last);
        Add(new DiskStep(DiskStepKind.Create, m_last, name));
        return m_last;
    }

    internal bool Removed(string path)
    {
        if (Inside(path) is not { } name || !m_names.Remove(name, out var number))
            return false;
        Add(new DiskStep(DiskStepKind.Unlink, number, name));
        return true;
    }

    internal void Written(int file, long offset, byte[] data) => Add(new DiskStep(DiskStepKind.Write, file, "", offset, data));

    internal void Truncated(int file, long length) => Add(new DiskStep(DiskStepKind.Truncate, file, "", length));

    internal void Flushed(int file) => Add(new DiskStep(DiskStepKind.Sync, file));

    internal void FolderFlushed() => Add(new DiskStep(DiskStepKind.SyncFolder));

    public void Dispose()
    {
        EngineFiles.Show(null);
        DurableFiles.Standard = m_before;
    }

    private static string? NameOf(string path) =>
        path.EndsWith("-shm", StringComparison.Ordinal) || path.EndsWith("-lock", StringComparison.Ordinal) ? null : Path.GetFileName(path);

    private string? Inside(string path) =>
        path.StartsWith(m_folder, StringComparison.Ordinal) && !path.AsSpan(m_folder.Length).Contains(Path.DirectorySeparatorChar)
            ? NameOf(path)
            : null;

    private void Add(DiskStep step)
    {
        m_steps.Add(step);
        After?.Invoke(m_steps.Count);
    }

    private void Moved(string from, string to)
    {
        if (Inside(from) is not { } name || Inside(to) is not { } target || !m_names.Remove(name, out var number))
            return;
        m_names[target] = number;
        Add(new DiskStep(DiskStepKind.Rename, number, name, Target: target));
    }

    /// <summary>The steps that the layer takes itself.</summary>
    private sealed class Files(DiskRecorder recorder, DurableFiles next) : DurableFiles
    {
        public override void Move(string from, string to, bool overwrite) =>
            EngineFiles.Do(() =>
            {
                next.Move(from, to, overwrite);
                recorder.Moved(from, to);
            });

        public override void Delete(string path) =>
            EngineFiles.Do(() =>
            {
                next.Delete(path);
                recorder.Removed(path);
            });

        public override void FlushFile(string path) =>
            EngineFiles.Do(() =>
            {
                next.FlushFile(path);
                if (recorder.Inside(path) is { } name && recorder.m_names.TryGetValue(name, out var number))
                    recorder.Flushed(number);
            });

        public override void FlushFolder(string path) =>
            EngineFiles.Do(() =>
            {
                next.FlushFolder(path);
                if (path + Path.DirectorySeparatorChar == recorder.m_folder)
                    recorder.FolderFlushed();
            });
    }
}
