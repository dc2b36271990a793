// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Memory;

namespace Duplicati.Tool.Cli;

/// <summary>
/// While a command runs with preset <c>small</c>: four times a second free memory of the C library goes back to the system, and so does
/// that of the runtime when much was allocated since. By itself it lets the directories of volumes that were read come to 100 MB and more.
/// </summary>
internal sealed class LittleMemory : IDisposable
{
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(250);

    private const long MuchBytes = 16L << 20;

    private readonly Timer m_timer;
    private long m_allocated;

    private LittleMemory()
    {
        NativeHeap.KeepLittle();
        m_timer = new Timer(_ => GiveBack(), null, s_interval, s_interval);
    }

    /// <summary>Begins, if the preset asks for it.</summary>
    /// <returns>To be disposed of at the end of the command; null for other presets.</returns>
    internal static LittleMemory? For(string? preset) =>
        string.Equals(preset?.Trim(), ConnectionPreset.Small.Name, StringComparison.OrdinalIgnoreCase) ? new LittleMemory() : null;

    public void Dispose() => m_timer.Dispose();

    private void GiveBack()
    {
        var allocated = GC.GetTotalAllocatedBytes();
        if (allocated - m_allocated > MuchBytes)
        {
            m_allocated = allocated;
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        }

        NativeHeap.GiveBack();
    }
}
