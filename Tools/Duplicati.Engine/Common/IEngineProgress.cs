namespace Duplicati.Engine.Common;

/// <summary>Where an operation tells what it is doing. Implementations may be called from several tasks at once.</summary>
public interface IEngineProgress
{
    /// <summary>Something happened that a user may want to read, such as a volume name that is uploaded.</summary>
    void Message(string text);

    /// <summary>Which file is at hand now: shown with how far the operation is, and as a message only where everything is wanted.</summary>
    void Working(string text) => Message(text);

    /// <summary>Something was left out or is not as it should be; the operation goes on.</summary>
    void Warning(string text);

    /// <summary>How far the operation is: what it counts (such as volumes; "bytes" are shown as sizes), units done, and units in all (0 while unknown).</summary>
    void Advance(string phase, long done, long total);
}

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
