// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Utility;

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
