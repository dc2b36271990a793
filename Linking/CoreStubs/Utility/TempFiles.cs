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

/// <summary>A folder that is removed with everything in it when disposed.</summary>
public class TempFolder : IDisposable
{
    private string? m_folder;

    /// <summary>Makes an empty folder below <see cref="SystemTempPath"/>.</summary>
    public TempFolder()
    {
        m_folder = Path.Combine(SystemTempPath, "dupl-" + Utility.GetHexGuid());
        Directory.CreateDirectory(m_folder);
    }

    /// <summary>Where temporary files go.</summary>
    public static string SystemTempPath => Path.GetTempPath();

    /// <summary>The path of a folder.</summary>
    /// <param name="folder">The folder.</param>
    public static implicit operator string(TempFolder folder)
    {
        ArgumentNullException.ThrowIfNull(folder);
        return folder.m_folder ?? throw new ObjectDisposedException(nameof(TempFolder));
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        var folder = Interlocked.Exchange(ref m_folder, null);
        if (folder != null && Directory.Exists(folder))
            Directory.Delete(folder, recursive: true);
    }
}
