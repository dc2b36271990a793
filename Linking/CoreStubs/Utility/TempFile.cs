// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Utility;

/// <summary>A file that is removed when disposed.</summary>
public class TempFile : IDisposable
{
    private string? m_path;

    /// <summary>Makes an empty file in the folder for temporary files.</summary>
    public TempFile()
    {
        m_path = Path.Combine(TempFolder.SystemTempPath, "dup-" + Utility.GetHexGuid());
        using var created = new FileStream(m_path, FileMode.CreateNew);
    }

    private TempFile(string path) => m_path = path;

    /// <summary>The path of a file.</summary>
    /// <param name="file">The file.</param>
    public static implicit operator string(TempFile file)
    {
        ArgumentNullException.ThrowIfNull(file);
        return file.m_path ?? throw new ObjectDisposedException(nameof(TempFile));
    }

    /// <summary>Takes a file into care: it is removed when the result is disposed.</summary>
    /// <param name="path">Its path; it need not exist.</param>
    public static implicit operator TempFile(string path) => new(path);

    /// <inheritdoc/>
    public void Dispose()
    {
        var path = Interlocked.Exchange(ref m_path, null);
        if (path != null)
            File.Delete(path);
    }
}
