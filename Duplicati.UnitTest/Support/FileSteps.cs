// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Files;

namespace Duplicati.UnitTest.Support;

/// <summary>Notes what is done to files, and calls <paramref name="before"/> with what is about to be done, and to which one.</summary>
internal sealed class FileSteps(Action<string, string>? before = null) : DurableFiles, IDisposable
{
    internal const string Name = "a file gets its name";
    internal const string File = "a file is flushed";
    internal const string Folder = "a folder is flushed";
    internal const string Removal = "a file is removed";

    private readonly DurableFiles m_before = Standard;
    private readonly List<string> m_done = [];

    /// <summary>What was done, but for removals.</summary>
    internal IReadOnlyList<string> Done => m_done;

    /// <summary>Of a disk that refuses to flush a folder.</summary>
    internal static FileSteps RefusingFolders() =>
        new(
            (step, _) =>
            {
                if (step == Folder)
                    throw new IOException("Input/output error");
            }
        );

    /// <summary>All of this process from now on, until the end of this object.</summary>
    internal FileSteps OfAll()
    {
        Standard = this;
        return this;
    }

    public void Dispose() => Standard = m_before;

    public override void Move(string from, string to, bool overwrite)
    {
        Note(Name, to);
        base.Move(from, to, overwrite);
    }

    public override void Delete(string path)
    {
        if (System.IO.File.Exists(path))
            before?.Invoke(Removal, path);
        base.Delete(path);
    }

    public override void FlushFile(string path)
    {
        Note(File, path);
        base.FlushFile(path);
    }

    internal override void FlushStream(FileStream file)
    {
        Note(File, file.Name);
        base.FlushStream(file);
    }

    public override void FlushFolder(string path)
    {
        Note(Folder, path);
        base.FlushFolder(path);
    }

    private void Note(string step, string path)
    {
        m_done.Add(step);
        before?.Invoke(step, path);
    }
}
