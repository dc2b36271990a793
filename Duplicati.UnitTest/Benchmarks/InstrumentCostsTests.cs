using Duplicati.Benchmarks.Instruments;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>The benchmark <c>instruments</c>.</summary>
[TestFixture]
[NonParallelizable]
internal sealed class InstrumentCostsTests
{
    [Test]
    public void Each_piece_of_work_gets_a_line_and_its_instruments_allocate_nothing()
    {
        using var output = new StringWriter();
        new InstrumentCosts(1000, 1).Run(output);
        TestContext.Out.WriteLine(output);

        var lines = output.ToString().TrimEnd().Split(Environment.NewLine).Skip(2).Select(x => x.Split('|', StringSplitOptions.TrimEntries)).ToList();
        Assert.That(lines.Select(x => x[1]), Has.Member("commit of one row").And.Exactly(4).Items);
        Assert.That(lines.Select(x => x[5]), Has.All.EqualTo("0"));
    }
}
