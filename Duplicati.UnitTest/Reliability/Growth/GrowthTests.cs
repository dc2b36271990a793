using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Reliability.Growth;

/// <summary>
/// More and more versions: each operation takes more steps of the engine in proportion to the rows that it has to look at, not more.
/// The long run: <c>soak 21</c>, see docs/reliability.md.
/// </summary>
[TestFixture]
[NonParallelizable]
internal sealed class GrowthTests
{
    // What a further row may cost, in what one cost before; an operation in which something grows with the square of the versions costs ten.
    private const double Factor = 2;

    [Test]
    public Task No_operation_takes_more_steps_than_in_proportion_to_what_it_looks_at() => RunAsync(1, 10, 100);

    [Test, Explicit("The long run, 1,000 versions"), Category(LongRun.Category)]
    public Task Long_run_of_versions() => RunAsync(1, 10, 100, LongRun.Count(1000));

    private static async Task RunAsync(params int[] versions)
    {
        using var backup = new GrowingBackup();
        var measured = MeasuredOperation.All.ToDictionary(x => x, _ => new List<Point>());
        foreach (var count in versions)
        {
            await backup.GrowAsync(count);
            var size = backup.Size;
            TestContext.Out.WriteLine(size);
            foreach (var (operation, points) in measured)
                points.Add(new Point(operation.Rows(size), await backup.StepsAsync(operation)));
        }

        foreach (var (operation, points) in measured)
            TestContext.Out.WriteLine($"{operation.Name}: {string.Join("; ", points.Select(x => $"{x.Steps} steps for {x.Rows} rows"))}");
        Assert.Multiple(() =>
        {
            foreach (var (operation, points) in measured)
                AssertProportional(operation.Name, points);
        });
    }

    private static void AssertProportional(string name, List<Point> points)
    {
        for (var i = 2; i < points.Count; i++)
        {
            var (before, now) = (points[i - 1], points[i]);
            var most = before.Steps + (Factor * (now.Rows - before.Rows) * CostOfARow(points[i - 2], before));
            Assert.That(now.Steps, Is.AtMost((long)most), $"{name}: steps for {now.Rows} rows");
        }
    }

    // Few rows may cost more than some, as another way is taken then.
    private static double CostOfARow(Point few, Point some) =>
        some.Steps > few.Steps ? (double)(some.Steps - few.Steps) / (some.Rows - few.Rows) : (double)some.Steps / some.Rows;

    private sealed record Point(long Rows, long Steps);
}
