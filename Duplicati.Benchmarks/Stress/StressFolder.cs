// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Engine.Common;

namespace Duplicati.Benchmarks.Stress;

/// <summary>A work folder that no other run may use meanwhile.</summary>
internal sealed class StressFolder : IDisposable
{
    private const string LockName = ".stress.lock";
    private const long Needed = 500L * 1024 * 1024;

    private readonly FileStream m_lock;

    private StressFolder(FileStream lockFile) => m_lock = lockFile;

    /// <summary>Makes it, or takes one that is there.</summary>
    /// <exception cref="EndToEndException">It is in use, or its disk is too full.</exception>
    public static StressFolder Take(string path)
    {
        Directory.CreateDirectory(path);
        var free = new DriveInfo(Path.GetFullPath(path)).AvailableFreeSpace;
        if (free < Needed)
            throw new EndToEndException(
                $"There is too little space: this takes up to {SizeText.Of(Needed)}, and {path} has {SizeText.Of(free)} free. Give --work DIR on another disk."
            );
        try
        {
            return new StressFolder(
                new FileStream(
                    Path.Combine(path, LockName),
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
                $"The work folder {path} is in use by another run. Wait for it, or give another one by --work.",
                ex
            );
        }
    }

    /// <inheritdoc/>
    public void Dispose() => m_lock.Dispose();
}
