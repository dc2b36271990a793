// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using System.Text;

namespace Duplicati.UnitTest.Reliability.PowerLoss;

/// <summary>
/// A folder on a disk that may lose its power. A change of its names is there as a whole or not at all, in any order that their files
/// allow.
/// </summary>
internal sealed class SimulatedDisk
{
    private readonly Dictionary<int, SimulatedFile> m_files = [];
    private readonly Dictionary<string, int> m_seen = new(StringComparer.Ordinal);
    private readonly List<DiskStep> m_unflushed = [];
    private Dictionary<string, int> m_flushed;

    internal SimulatedDisk(IReadOnlyDictionary<int, (string Name, byte[] Content)> files)
    {
        foreach (var (number, (name, content)) in files)
        {
            m_files.Add(number, new SimulatedFile(content));
            m_seen.Add(name, number);
        }

        m_flushed = new(m_seen, StringComparer.Ordinal);
    }

    internal void Apply(DiskStep step)
    {
        switch (step.Kind)
        {
            case DiskStepKind.Write or DiskStepKind.Truncate or DiskStepKind.Sync:
                m_files[step.File].Apply(step);
                break;
            case DiskStepKind.Create or DiskStepKind.Rename or DiskStepKind.Unlink:
                m_files.TryAdd(step.File, new SimulatedFile([]));
                m_unflushed.Add(step);
                Change(m_seen, step);
                break;
            case DiskStepKind.SyncFolder:
                m_flushed = new(m_seen, StringComparer.Ordinal);
                m_unflushed.Clear();
                break;
            case DiskStepKind.Mark:
                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(step), step.Kind, "Not known");
        }
    }

    /// <summary>What every process sees.</summary>
    internal Dictionary<string, byte[]> Seen() => Content(m_seen, x => x.Seen);

    /// <summary>What is there if nothing that was not flushed has reached the disk.</summary>
    internal Dictionary<string, byte[]> Flushed() => Content(m_flushed, x => x.Flushed);

    /// <summary>What can be there: what was flushed, and any of the rest.</summary>
    internal Dictionary<string, byte[]> Lose(Random random)
    {
        // Names and contents by themselves: all, none, or some.
        var names = random.Next(4) switch
        {
            0 => 0,
            1 => 1,
            _ => 0.5,
        };
        var content = random.Next(6) switch
        {
            0 => 0,
            1 => 1,
            2 => 0.1,
            3 => 0.9,
            _ => 0.5,
        };
        var torn = random.Next(4) > 0;
        var kept = new Dictionary<string, int>(m_flushed, StringComparer.Ordinal);
        foreach (var step in m_unflushed)
        {
            if (random.NextDouble() < names)
                Change(kept, step);
        }

        return Content(kept, x => x.IsFlushed ? x.Flushed : x.Torn(random, content, torn));
    }

    /// <summary>Tells states apart.</summary>
    internal static string Fingerprint(Dictionary<string, byte[]> state)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        foreach (var (name, content) in state.OrderBy(x => x.Key, StringComparer.Ordinal))
        {
            hash.AppendData(Encoding.UTF8.GetBytes($"{name}\0{content.Length}\0"));
            hash.AppendData(content);
        }

        return Convert.ToHexString(hash.GetHashAndReset());
    }

    // A change that needs another one which is not there is not there either.
    private static void Change(Dictionary<string, int> names, DiskStep step)
    {
        if (step.Kind == DiskStepKind.Create)
            names[step.Name] = step.File;
        else if (names.TryGetValue(step.Name, out var file) && file == step.File)
        {
            names.Remove(step.Name);
            if (step.Kind == DiskStepKind.Rename)
                names[step.Target] = file;
        }
    }

    private Dictionary<string, byte[]> Content(Dictionary<string, int> names, Func<SimulatedFile, byte[]> content) =>
        names.ToDictionary(x => x.Key, x => content(m_files[x.Value]), StringComparer.Ordinal);
}
