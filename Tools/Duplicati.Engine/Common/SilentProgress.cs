namespace Duplicati.Engine.Common;

/// <summary>Tells nobody.</summary>
public sealed class SilentProgress : IEngineProgress
{
    /// <summary>The one instance.</summary>
    public static readonly SilentProgress Instance = new();

    private SilentProgress()
    {
    }

    /// <inheritdoc/>
    public void Message(string text)
    {
    }

    /// <inheritdoc/>
    public void Warning(string text)
    {
    }

    /// <inheritdoc/>
    public void Advance(string phase, long done, long total)
    {
    }
}
