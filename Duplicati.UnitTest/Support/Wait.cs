using NUnit.Framework;

namespace Duplicati.UnitTest.Support;

/// <summary>Waits for what another thread or process does, with a limit that only a hang reaches.</summary>
internal static class Wait
{
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(5);

    /// <summary>Waits until something is so.</summary>
    /// <param name="condition">What has to be so.</param>
    /// <param name="what">The same in words, for the message of a test that waited too long.</param>
    internal static void Until(Func<bool> condition, string what) =>
        Assert.That(SpinWait.SpinUntil(condition, s_longest), Is.True, $"waited {s_longest.TotalMinutes} minutes: {what}");

    /// <summary>Waits until a file has content.</summary>
    internal static void ForContent(string path)
    {
        var file = new FileInfo(path);
        Until(HasContent, $"'{path}' has content");

        bool HasContent()
        {
            file.Refresh();
            return file is { Exists: true, Length: > 0 };
        }
    }
}
