namespace Duplicati.Engine.Data;

/// <summary>What a generated source tree is to be like.</summary>
public sealed record SourceOptions
{
    /// <summary>The length of all files together, bytes; met exactly.</summary>
    public long TotalBytes { get; init; } = 100 * 1024 * 1024;

    /// <summary>The number of files; met exactly.</summary>
    public int Files { get; init; } = 300;

    /// <summary>The longest file, bytes.</summary>
    public long MaxFileBytes { get; init; } = 10 * 1024 * 1024;

    /// <summary>How much of each file is zeros, per cent; written as holes where the file system has them.</summary>
    public int SparsePercent { get; init; }

    /// <summary>The same seed gives the same tree, on every machine.</summary>
    public long Seed { get; init; } = 1;

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
            throw new ArgumentOutOfRangeException(nameof(TotalBytes), $"{Files} files of at most {MaxFileBytes} bytes cannot hold {TotalBytes} bytes.");
    }
}
