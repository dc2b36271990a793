// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>
/// A folder that is backed up, and random changes to it. Each state has a stamp: one file whose name tells it from all others.
/// </summary>
/// <param name="root">The folder.</param>
/// <param name="plan">Gives the block size, around whose multiples sizes lie.</param>
internal sealed class StressSource(string root, StressPlan plan)
{
    /// <summary>What files are called that a purge removes.</summary>
    public const string PurgedEnding = ".log";

    private const string StampName = "stamp-";
    private const int Folders = 6;
    private const int MostChanges = 12;

    private static readonly string[] s_endings = [".bin", ".txt", PurgedEnding, ""];
    private static readonly string[] s_oddNames =
    [
        "it's \"quoted\"",
        "100%_[a-z]*?",
        "  spaces  ",
        "-rf",
        "e\u0301 and \u00E9",
        "...",
        "NUL",
        new('n', 200),
    ];

    /// <summary>The folder.</summary>
    public string Root => root;

    /// <summary>The stamp in a list of paths below the root; null if it has none, or several.</summary>
    public static int? StampOf(IEnumerable<string> keys) =>
        keys.Where(key => key.StartsWith(StampName, StringComparison.Ordinal)).ToList() is [var only]
            ? int.Parse(only.AsSpan(StampName.Length))
            : null;

    /// <summary>Makes the first files.</summary>
    public void Make(Random random)
    {
        Directory.CreateDirectory(root);
        Directory.CreateDirectory(Path.Combine(root, "empty folder"));
        for (var i = 0; i < plan.Files; i++)
            Write(NewName(random), random);
        if (OperatingSystem.IsWindows())
            return;
        foreach (var name in s_oddNames.Where(_ => random.Next(3) == 0))
            Write("odd/" + name, random);
        File.CreateSymbolicLink(Path.Combine(root, "link to nothing"), "no/such/thing");
        Directory.CreateSymbolicLink(Path.Combine(root, "link to folder"), "empty folder");
    }

    /// <summary>Sets the stamp, and makes some changes beside.</summary>
    public void Change(int stamp, Random random)
    {
        foreach (var old in Directory.GetFiles(root, StampName + "*"))
            File.Delete(old);
        File.WriteAllText(
            Path.Combine(root, FormattableString.Invariant($"{StampName}{stamp}")),
            new string('s', random.Next(2000)) + stamp
        );
        for (var left = random.Next(MostChanges); left > 0; left--)
            ChangeOne(random);
    }

    private void ChangeOne(Random random)
    {
        var files = Directory
            .GetFiles(root, "*", new EnumerationOptions { RecurseSubdirectories = true, AttributesToSkip = FileAttributes.ReparsePoint })
            .Where(path => !Path.GetFileName(path).StartsWith(StampName, StringComparison.Ordinal))
            .Order(StringComparer.Ordinal)
            .ToList();
        if (files.Count == 0)
        {
            Write(NewName(random), random);
            return;
        }

        var chosen = files[random.Next(files.Count)];
        var other = Path.Combine(root, NewName(random));
        switch (random.Next(9))
        {
            case 0 or 1:
                Write(NewName(random), random);
                break;
            case 2:
                File.Delete(chosen);
                break;
            case 3:
                using (var grown = new FileStream(chosen, FileMode.Append))
                    grown.Write(Content(random, random.Next(1, 3 * plan.BlockSize)));
                break;
            case 4:
                using (var cut = new FileStream(chosen, FileMode.Open))
                    cut.SetLength(cut.Length / 2);
                break;
            case 5:
                Directory.CreateDirectory(Path.GetDirectoryName(other)!);
                File.Move(chosen, other, overwrite: true);
                break;
            case 6:
                Directory.CreateDirectory(Path.GetDirectoryName(other)!);
                File.Copy(chosen, other, overwrite: true);
                break;
            case 7:
                File.SetLastWriteTimeUtc(
                    chosen,
                    new DateTime(2020, 1, 1, 0, 0, 0, DateTimeKind.Utc)
                        .AddSeconds(random.Next(100_000_000))
                        .AddTicks(random.Next(10_000_000))
                );
                break;
            default:
                File.WriteAllBytes(chosen, Content(random, Size(random)));
                break;
        }
    }

    private static string NewName(Random random) =>
        $"{(random.Next(4) == 0 ? "" : $"folder {random.Next(Folders)}/")}{(random.Next(5) == 0 ? "deep/er/" : "")}{random.Next(1000)}{s_endings[random.Next(s_endings.Length)]}";

    private void Write(string name, Random random)
    {
        var path = Path.Combine(root, name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllBytes(path, Content(random, Size(random)));
    }

    // Nothing, a byte, about a multiple of a block, about what one list of blocks holds, or anything.
    private int Size(Random random)
    {
        var aList = plan.BlockSize / plan.DigestSize * plan.BlockSize;
        var size = random.Next(10) switch
        {
            0 => 0,
            1 => 1,
            2 or 3 or 4 => (plan.BlockSize * random.Next(1, 5)) + random.Next(-1, 2),
            5 => (aList * random.Next(1, 4)) + random.Next(-1, 2),
            6 => random.Next(aList * 2),
            _ => random.Next(5 * plan.BlockSize),
        };
        return Math.Min(size, plan.MostBytes + random.Next(-1, 2));
    }

    // Noise, one and the same block again and again, zeros, or a text.
    private byte[] Content(Random random, int size)
    {
        var content = new byte[size];
        switch (random.Next(6))
        {
            case 0:
                break;
            case 1:
                Array.Fill(content, (byte)random.Next(4));
                break;
            case 2:
                for (var i = 0; i < size; i++)
                    content[i] = (byte)('a' + (i / 7 % 26));
                break;
            case 3:
                random.NextBytes(content.AsSpan(0, Math.Min(size, plan.BlockSize)));
                for (var i = plan.BlockSize; i < size; i++)
                    content[i] = content[i - plan.BlockSize];
                break;
            default:
                random.NextBytes(content);
                break;
        }

        return content;
    }
}
