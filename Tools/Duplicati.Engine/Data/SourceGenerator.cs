// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Globalization;

namespace Duplicati.Engine.Data;

/// <summary>
/// Makes source trees to measure backups with: random bytes that do not compress, sizes from many small to few large files, nested
/// folders. The options alone determine paths, contents and times.
/// </summary>
public static class SourceGenerator
{
    private const int BUFFER_SIZE = 64 * 1024;
    private const int FILES_PER_FOLDER = 20;
    private const int FOLDERS_PER_FOLDER = 8;
    private const int MAX_DEPTH = 4;

    // Zeros and data alternate in pieces of about this size, so that blocks of both kinds arise at every usual block size.
    private const int PIECE = 256 * 1024;

    private static readonly DateTime s_firstTime = new(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc);

    /// <summary>Makes a tree.</summary>
    /// <param name="folder">Its root, made if it does not exist; files of the same names are overwritten, others left.</param>
    /// <param name="options">What it is to be like.</param>
    /// <param name="token">Cancels between two files; the tree is then incomplete.</param>
    /// <returns>Ends when the tree is written.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The options contradict each other.</exception>
    public static async Task GenerateAsync(string folder, SourceOptions options, CancellationToken token)
    {
        ArgumentException.ThrowIfNullOrEmpty(folder);
        ArgumentNullException.ThrowIfNull(options);
        options.Check();
        var sizes = Sizes(options);
        var root = Directory.CreateDirectory(folder).FullName;
        await Parallel
            .ForAsync(
                0,
                options.Files,
                token,
                (index, _) =>
                {
                    WriteFile(root, index, sizes[index], options);
                    return ValueTask.CompletedTask;
                }
            )
            .ConfigureAwait(false);
        SetFolderTimes(root, options.Files);
    }

    /// <summary>The path of a file below the root: twenty files a folder, folders nested up to four levels.</summary>
    internal static string PathOf(int index)
    {
        var parts = new List<string> { string.Create(CultureInfo.InvariantCulture, $"file-{index:D6}.bin") };
        for (var folder = index / FILES_PER_FOLDER; folder > 0 && parts.Count <= MAX_DEPTH; folder /= FOLDERS_PER_FOLDER)
            parts.Add(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"folder-{(parts.Count == MAX_DEPTH ? folder : folder % FOLDERS_PER_FOLDER):D2}"
                )
            );
        parts.Reverse();
        return Path.Combine([.. parts]);
    }

    /// <summary>
    /// Draws a size for each file: the cube of an even draw, so that small files are many, cut at the maximum, adding up to the
    /// total. Only operations that every machine rounds alike.
    /// </summary>
    internal static long[] Sizes(SourceOptions options)
    {
        var random = new SplitMix64((ulong)options.Seed);
        var weights = new double[options.Files];
        var sum = double.Epsilon;
        for (var i = 0; i < weights.Length; i++)
        {
            var draw = random.Fraction();
            weights[i] = draw * draw * draw;
            sum += weights[i];
        }

        var sizes = Array.ConvertAll(weights, weight => Math.Min(options.MaxFileBytes, (long)(weight / sum * options.TotalBytes)));
        Spread(sizes, options.TotalBytes - sizes.Sum(), options.MaxFileBytes);
        return sizes;
    }

    /// <summary>Gives what is missing to the total to the files with room left, evenly; ends because the options fit each other.</summary>
    private static void Spread(long[] sizes, long missing, long max)
    {
        while (missing > 0)
        {
            var open = sizes.Count(size => size < max);
            var share = Math.Max(1, missing / open);
            for (var i = 0; i < sizes.Length && missing > 0; i++)
            {
                var more = Math.Min(Math.Min(share, max - sizes[i]), missing);
                sizes[i] += more;
                missing -= more;
            }
        }
    }

    private static void WriteFile(string root, int index, long size, SourceOptions options)
    {
        var path = Path.Combine(root, PathOf(index));
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        var random = new SplitMix64(((ulong)options.Seed * 0x9E3779B97F4A7C15) ^ (ulong)(index + 1));
        using (var file = new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0))
        {
            WriteContent(file, size, options.SparsePercent, ref random);
            // A hole at the end is made by the length alone.
            file.SetLength(size);
        }

        File.SetLastWriteTimeUtc(path, s_firstTime.AddSeconds(index));
    }

    private static void WriteContent(FileStream file, long size, int sparsePercent, ref SplitMix64 random)
    {
        var buffer = new byte[BUFFER_SIZE];
        for (long start = 0; start < size; start += PIECE)
        {
            var piece = Math.Min(PIECE, size - start);
            var data = piece - (piece * sparsePercent / 100);
            file.Position = start;
            while (data > 0)
            {
                var part = buffer.AsSpan(0, (int)Math.Min(buffer.Length, data));
                random.Fill(part);
                file.Write(part);
                data -= part.Length;
            }
        }
    }

    private static void SetFolderTimes(string root, int files)
    {
        var folders = new HashSet<string>(StringComparer.Ordinal);
        for (var index = 0; index < files; index += FILES_PER_FOLDER)
        {
            for (
                var folder = Path.GetDirectoryName(Path.Combine(root, PathOf(index)))!;
                folders.Add(folder) && folder != root;
                folder = Path.GetDirectoryName(folder)!
            )
                Directory.SetLastWriteTimeUtc(folder, s_firstTime);
        }

        Directory.SetLastWriteTimeUtc(root, s_firstTime);
    }
}

/// <summary>What a generated source tree is to be like.</summary>
public sealed record SourceOptions
{
    private const long USUAL_LONGEST = 10 * 1024 * 1024;

    /// <summary>The length of all files together, bytes; met exactly.</summary>
    public long TotalBytes { get; init; } = 100 * 1024 * 1024;

    /// <summary>The number of files; met exactly.</summary>
    public int Files { get; init; } = 300;

    /// <summary>The longest file, bytes.</summary>
    public long MaxFileBytes { get; init; } = USUAL_LONGEST;

    /// <summary>How much of each file is zeros, per cent; written as holes where the file system has them.</summary>
    public int SparsePercent { get; init; }

    /// <summary>The same seed gives the same tree, on every machine.</summary>
    public long Seed { get; init; } = 1;

    /// <summary>The longest file where nothing is asked for: 10 MB, or as long as so few files have to be.</summary>
    /// <param name="totalBytes">The length of all files together.</param>
    /// <param name="files">Their number.</param>
    public static long LongestFor(long totalBytes, int files) =>
        Math.Max(USUAL_LONGEST, (totalBytes / Math.Max(files, 1)) + (totalBytes % Math.Max(files, 1) > 0 ? 1 : 0));

    /// <summary>Checks the numbers against each other.</summary>
    /// <exception cref="ArgumentOutOfRangeException">One is out of bounds, or the files cannot hold the total.</exception>
    public void Check()
    {
        ArgumentOutOfRangeException.ThrowIfNegative(TotalBytes, nameof(TotalBytes));
        ArgumentOutOfRangeException.ThrowIfLessThan(Files, 1, nameof(Files));
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxFileBytes, 1, nameof(MaxFileBytes));
        ArgumentOutOfRangeException.ThrowIfNegative(SparsePercent, nameof(SparsePercent));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(SparsePercent, 100, nameof(SparsePercent));
        if ((Int128)Files * MaxFileBytes < TotalBytes)
            throw new ArgumentOutOfRangeException(
                nameof(TotalBytes),
                $"Files of at most {MaxFileBytes} bytes cannot hold {TotalBytes} bytes if they are {Files}."
            );
    }
}

/// <summary>
/// A small random generator whose output depends on its seed alone, on every machine and runtime. Algorithm: SplitMix64
/// (Steele, Lea, Flood 2014). Not for secrets.
/// </summary>
internal struct SplitMix64
{
    private ulong m_state;

    /// <summary>Starts a sequence.</summary>
    /// <param name="seed">Any number.</param>
    public SplitMix64(ulong seed) => m_state = seed;

    /// <summary>The next 64 bits.</summary>
    public ulong Next()
    {
        var z = m_state += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }

    /// <summary>A number from 0 up to, not including, 1.</summary>
    public double Fraction() => (Next() >> 11) * (1.0 / (1UL << 53));

    /// <summary>Fills bytes.</summary>
    /// <param name="target">The bytes.</param>
    public void Fill(Span<byte> target)
    {
        while (target.Length >= sizeof(ulong))
        {
            BinaryPrimitives.WriteUInt64LittleEndian(target, Next());
            target = target[sizeof(ulong)..];
        }

        if (target.IsEmpty)
            return;
        var last = Next();
        for (var i = 0; i < target.Length; i++, last >>= 8)
            target[i] = (byte)last;
    }
}
