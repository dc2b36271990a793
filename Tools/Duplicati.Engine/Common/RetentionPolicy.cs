using Duplicati.Library.Utility;

namespace Duplicati.Engine.Common;

/// <summary>How many versions of which age are kept, as upstream writes it: <c>1W:1D,4W:1W,12M:1M</c>.</summary>
public sealed class RetentionPolicy
{
    private const string Unlimited = "U";

    private readonly List<Frame> m_frames;

    private RetentionPolicy(List<Frame> frames) => m_frames = frames;

    /// <summary>Of the versions up to an age, one an interval is kept; an interval of zero keeps all.</summary>
    internal sealed record Frame(TimeSpan Age, TimeSpan Interval);

    /// <summary>Reads a policy: pairs of an age and an interval; <c>U</c> is an age without an end, or an interval that keeps all.</summary>
    /// <param name="text">The policy.</param>
    /// <returns>The policy, its ages ascending.</returns>
    /// <exception cref="FormatException">The text is none.</exception>
    public static RetentionPolicy Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var frames = new List<Frame>();
        foreach (var pair in text.Split(',', StringSplitOptions.TrimEntries))
        {
            if (pair.Split(':', StringSplitOptions.TrimEntries) is not [{ Length: > 0 } age, { Length: > 0 } interval])
                throw new FormatException($"{text} is not a retention policy; write 1W:1D,4W:1W,12M:1M.");
            var frame = new Frame(age == Unlimited ? TimeSpan.MaxValue : Timeparser.ParseTimeSpan(age), interval == Unlimited ? TimeSpan.Zero : Timeparser.ParseTimeSpan(interval));
            if (frame.Age <= TimeSpan.Zero || frame.Interval < TimeSpan.Zero || frames.Exists(x => x.Age == frame.Age))
                throw new FormatException($"{text} is not a retention policy: {pair} is an age that is negative, zero or given twice, or a negative interval.");
            frames.Add(frame);
        }

        frames.Sort((x, y) => x.Age.CompareTo(y.Age));
        return new RetentionPolicy(frames);
    }

    /// <summary>The rule for versions of an age; null if they are too old for all.</summary>
    internal Frame? Find(TimeSpan age) => m_frames.Find(x => age <= x.Age);
}
