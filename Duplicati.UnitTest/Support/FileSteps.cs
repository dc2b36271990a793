// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Files;

namespace Duplicati.UnitTest.Support;

/// <summary>Until it is disposed of: the order in which files get their names and are flushed.</summary>
internal sealed class FileSteps : IDisposable
{
    internal const string Name = "a file gets its name";
    internal const string File = "a file is flushed";
    internal const string Folder = "a folder is flushed";

    private readonly DurableFiles m_before = DurableFiles.Standard;
    private readonly List<string> m_done = [];

    internal FileSteps() => DurableFiles.Standard = new Files(m_done);

    /// <summary>What was done.</summary>
    internal IReadOnlyList<string> Done => m_done;

    public void Dispose() => DurableFiles.Standard = m_before;

    private sealed class Files(List<string> done) : DurableFiles
    {
        public override void Move(string from, string to, bool overwrite)
        {
            done.Add(Name);
            base.Move(from, to, overwrite);
        }

        public override void FlushFile(string path)
        {
            done.Add(File);
            base.FlushFile(path);
        }

        internal override void FlushStream(FileStream file)
        {
            done.Add(File);
            base.FlushStream(file);
        }

        public override void FlushFolder(string path)
        {
            done.Add(Folder);
            base.FlushFolder(path);
        }
    }
}
