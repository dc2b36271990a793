#nullable enable

namespace Duplicati.Library.Main.Database.Testing;

/// <summary>A volume that may be tested, without what is only needed of those chosen.</summary>
/// <param name="id">Its row.</param>
/// <param name="type">What it holds: one of the numbers of <see cref="TestTargetSql"/>.</param>
/// <param name="isUnmeasured">Whether it cannot be compared with anything before it has been fetched.</param>
/// <param name="verificationCount">How often it was tested.</param>
/// <param name="lot">A random number, for the order of volumes that were tested equally often.</param>
internal sealed class TestTarget(long id, long type, bool isUnmeasured, long verificationCount, int lot)
{
    internal long Id => id;

    internal long Type => type;

    internal bool IsUnmeasured => isUnmeasured;

    /// <summary>Never tested ones first, then by the number of tests; among equals at random.</summary>
    internal int CompareTo(TestTarget other)
    {
        var byCount = Count.CompareTo(other.Count);
        return byCount != 0 ? byCount : lot.CompareTo(other.Lot);
    }

    private long Count => verificationCount < 0 ? 0 : verificationCount;

    private int Lot => lot;
}
