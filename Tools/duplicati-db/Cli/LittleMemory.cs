using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Memory;

namespace Duplicati.Tool.Cli;

/// <summary>While a command runs with preset <c>small</c>: free memory of the C library goes back to the system every second.</summary>
internal sealed class LittleMemory : IDisposable
{
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(1);

    private readonly Timer m_timer;

    private LittleMemory()
    {
        NativeHeap.KeepLittle();
        m_timer = new Timer(static _ => NativeHeap.GiveBack(), null, s_interval, s_interval);
    }

    /// <summary>Begins, if the preset asks for it.</summary>
    /// <returns>To be disposed of at the end of the command; null for other presets.</returns>
    internal static LittleMemory? For(string? preset) =>
        string.Equals(preset?.Trim(), ConnectionPreset.Small.Name, StringComparison.OrdinalIgnoreCase) ? new LittleMemory() : null;

    public void Dispose() => m_timer.Dispose();
}
