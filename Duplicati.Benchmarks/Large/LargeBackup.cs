using System.Security.Cryptography;
using Duplicati.Benchmarks.Micro.Recreate;

namespace Duplicati.Benchmarks.Large;

/// <summary>
/// Two versions of made-up files. The first is that of <see cref="SyntheticBackup"/>. In the second every tenth file has changed, and every
/// other block of it is new. A deletion of the first version therefore takes one block in twenty, anywhere in the tables.
/// </summary>
internal sealed class LargeBackup(long blocks)
{
    /// <summary>Fewer cannot be divided as described.</summary>
    internal const long FewestBlocks = 100;

    private const long FewestFiles = 20;
    private const long MostBlocksInFile = 1000;
    private const long FilesForOneChanged = 10;
    private const ulong NewBlocks = 3UL << 60;
    private const ulong NewFiles = 4UL << 60;

    /// <summary>The first version, and what a recreate reads.</summary>
    internal SyntheticBackup First { get; } = new(blocks, FileLength(blocks));

    /// <summary>Files of either version.</summary>
    internal long Files => First.Files;

    /// <summary>What <c>RebuiltRows.Count</c> must give after a step.</summary>
    internal long ExpectedRows(string step) => First.ExpectedRows + (step is LargeSteps.FindOrInsert or LargeSteps.Check ? RowsOfSecond : 0);

    /// <summary>The blocks that the cost of a step is divided by: those added, offered, checked, deleted, or rebuilt.</summary>
    internal long BlocksOf(string step) => step switch
    {
        LargeSteps.FindOrInsert => ChangedFiles * First.BlocksPerFile,
        LargeSteps.Delete => ChangedFiles * First.BlocksPerFile / 2,
        _ => First.Blocks,
    };

    /// <summary>Whether a file is another one in the second version.</summary>
    internal bool IsChanged(long file) => file % FilesForOneChanged == 0 && First.BlocksOf(file) == First.BlocksPerFile;

    /// <summary>Name of a file within the one folder.</summary>
    internal static string Name(long file) => FormattableString.Invariant($"file{file}");

    /// <summary>A file as a backup sees it.</summary>
    internal LargeFile File(long file, bool isChanged)
    {
        var digests = new byte[First.BlocksOf(file) * SyntheticBackup.HashBytes];
        var hashes = new string[First.BlocksOf(file)];
        for (var i = 0; i < hashes.Length; i++)
        {
            var digest = digests.AsSpan(i * SyntheticBackup.HashBytes, SyntheticBackup.HashBytes);
            var number = (ulong)((file * First.BlocksPerFile) + i);
            SyntheticBackup.WriteDigest(isChanged && i % 2 == 1 ? number | NewBlocks : number, digest);
            hashes[i] = Convert.ToBase64String(digest);
        }

        var lists = new (string Hash, long Size)[First.ListsOf(file)];
        for (var i = 0; i < lists.Length; i++)
        {
            var start = i * SyntheticBackup.BlockBytes;
            var content = digests.AsSpan(start, Math.Min(SyntheticBackup.BlockBytes, digests.Length - start));
            lists[i] = (Convert.ToBase64String(SHA256.HashData(content)), content.Length);
        }

        return new LargeFile(Name(file), isChanged ? ChangedHash(file) : SyntheticBackup.FileHash(file), SyntheticBackup.MetadataHash(file), hashes, lists);
    }

    // Even, so that a changed file has as many new blocks as known ones, and no list of it stays as it was.
    private static long FileLength(long blocks) => Math.Clamp(blocks / FewestFiles / 2 * 2, 2, MostBlocksInFile);

    private long ChangedFiles
    {
        get
        {
            var whole = First.Blocks / First.BlocksPerFile;
            return (whole + FilesForOneChanged - 1) / FilesForOneChanged;
        }
    }

    // Blocks and lists as blocks, blocksets, lists, entries of blocksets, and those of the fileset.
    private long RowsOfSecond
    {
        get
        {
            var (length, lists) = (First.BlocksPerFile, First.ListsOf(0));
            return (ChangedFiles * ((length / 2) + lists + 1 + lists + length)) + Files;
        }
    }

    private static string ChangedHash(long file)
    {
        Span<byte> digest = stackalloc byte[SyntheticBackup.HashBytes];
        SyntheticBackup.WriteDigest((ulong)file | NewFiles, digest);
        return Convert.ToBase64String(digest);
    }
}

/// <summary>A file of a backup.</summary>
/// <param name="Name">Its name within the one folder.</param>
/// <param name="Hash">Hash of its content.</param>
/// <param name="MetadataHash">Hash of its metadata, which are one block.</param>
/// <param name="Blocks">Hashes of its blocks, all of them full.</param>
/// <param name="Lists">Hash and size in bytes of its blocklists; empty for a single block.</param>
internal sealed record LargeFile(string Name, string Hash, string MetadataHash, string[] Blocks, (string Hash, long Size)[] Lists);
