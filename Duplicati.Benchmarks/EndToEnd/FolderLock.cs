// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>The hold on a folder that no other run may use meanwhile.</summary>
internal sealed class FolderLock : IDisposable
{
    private const string FileName = ".run.lock";

    private readonly FileStream m_file;

    private FolderLock(FileStream file) => m_file = file;

    /// <summary>Makes the folder, or takes one that is there.</summary>
    /// <param name="folder">Its path.</param>
    /// <param name="name">What it is for; the option that gives another one has the same name.</param>
    /// <exception cref="EndToEndException">It is in use.</exception>
    public static FolderLock Take(string folder, string name)
    {
        Directory.CreateDirectory(folder);
        try
        {
            return new FolderLock(
                new FileStream(
                    Path.Combine(folder, FileName),
                    FileMode.OpenOrCreate,
                    FileAccess.ReadWrite,
                    FileShare.None,
                    1,
                    FileOptions.DeleteOnClose
                )
            );
        }
        catch (IOException ex)
        {
            throw new EndToEndException(
                $"The {name} folder {folder} is in use by another run. Wait for it, or give another one by --{name}.",
                ex
            );
        }
    }

    /// <summary>Looks at the space on the disk that has a folder, or that will have it.</summary>
    /// <param name="folder">Its path.</param>
    /// <param name="bytes">What a run takes at most.</param>
    /// <param name="advice">What to do where there is less.</param>
    /// <exception cref="EndToEndException">There is less.</exception>
    public static void RequireSpace(string folder, long bytes, string advice)
    {
        folder = Path.GetFullPath(folder);
        while (!Directory.Exists(folder))
            folder = Path.GetDirectoryName(folder)!;
        var free = new DriveInfo(folder).AvailableFreeSpace;
        if (free < bytes)
            throw new EndToEndException(
                $"There is too little space: this takes up to {SizeText.Of(bytes)}, and {folder} has {SizeText.Of(free)} free. {advice}"
            );
    }

    /// <inheritdoc/>
    public void Dispose() => m_file.Dispose();
}
