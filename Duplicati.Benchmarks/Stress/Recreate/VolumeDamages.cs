// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>Volumes that were removed, and volumes that were changed in their place.</summary>
internal sealed class VolumeDamages
{
    private const int MostFlips = 20;

    /// <summary>Block volumes that are gone.</summary>
    public HashSet<string> RemovedBlocks { get; } = new(StringComparer.Ordinal);

    /// <summary>Block volumes of which something may be readable.</summary>
    public HashSet<string> DamagedBlocks { get; } = new(StringComparer.Ordinal);

    /// <summary>File lists that are gone, or damaged.</summary>
    public HashSet<string> Lists { get; } = new(StringComparer.Ordinal);

    /// <summary>Index volumes that are gone, or damaged.</summary>
    public HashSet<string> Indexes { get; } = new(StringComparer.Ordinal);

    /// <summary>Whether every volume that is there is whole.</summary>
    public bool IsRemovalOnly { get; private set; } = true;

    /// <summary>Removes or damages volumes of a folder, but leaves one file list alone.</summary>
    /// <param name="folder">The remote folder.</param>
    /// <param name="count">How many.</param>
    /// <param name="random">Chooses.</param>
    /// <param name="log">Told of each.</param>
    public static VolumeDamages Do(string folder, int count, Random random, CycleLog log)
    {
        var damages = new VolumeDamages();
        var volumes = InOrder(folder).ToList();
        for (var lists = volumes.Count(IsList); count > 0 && volumes.Count > 0; count--)
        {
            // Each kind as often as the others.
            var kinds = volumes.Where(x => !IsList(x) || lists > 1).GroupBy(TypeOf).ToList();
            if (kinds.Count == 0)
                break;
            var kind = kinds[random.Next(kinds.Count)].ToList();
            var chosen = kind[random.Next(kind.Count)];
            volumes.Remove(chosen);
            lists -= IsList(chosen) ? 1 : 0;
            damages.Add(chosen, random, log);
        }

        return damages;
    }

    /// <summary>The volumes of a folder as they came: their names are random, and a cycle that is repeated must choose alike.</summary>
    public static IEnumerable<string> InOrder(string folder) =>
        new DirectoryInfo(folder)
            .GetFiles()
            .OrderBy(file => file.LastWriteTimeUtc)
            .ThenBy(file => file.Name, StringComparer.Ordinal)
            .Select(file => file.FullName);

    private static bool IsList(string path) => TypeOf(path) == RemoteVolumeType.Files;

    private static RemoteVolumeType TypeOf(string path) => VolumeName.Parse(Path.GetFileName(path))!.Type;

    private void Add(string path, Random random, CycleLog log)
    {
        var name = Path.GetFileName(path);
        var isRemoved = random.Next(2) == 0;
        var type = TypeOf(path);
        (
            type == RemoteVolumeType.Files ? Lists
            : type == RemoteVolumeType.Index ? Indexes
            : isRemoved ? RemovedBlocks
            : DamagedBlocks
        ).Add(name);
        if (isRemoved)
            File.Delete(path);
        else
            IsRemovalOnly = false;
        log.Message($"{(isRemoved ? "Removed" : Damage(path, random))} {name}");
    }

    private static string Damage(string path, Random random)
    {
        var content = File.ReadAllBytes(path);
        switch (random.Next(5))
        {
            case 0:
                File.WriteAllBytes(path, content[..random.Next(content.Length)]);
                return "Cut";
            case 1:
                File.WriteAllBytes(path, []);
                return "Emptied";
            case 2:
                var start = random.Next(content.Length);
                random.NextBytes(content.AsSpan(start, Math.Min(content.Length - start, random.Next(1, 2000))));
                File.WriteAllBytes(path, content);
                return "Overwrote a part of";
            default:
                for (var flips = random.Next(1, MostFlips); flips > 0; flips--)
                    content[random.Next(content.Length)] ^= (byte)(1 << random.Next(8));
                File.WriteAllBytes(path, content);
                return "Turned bits of";
        }
    }
}
