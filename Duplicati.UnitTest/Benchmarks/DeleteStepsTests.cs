using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Operations;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>The ways to delete versions that are measured against each other.</summary>
[TestFixture]
public class DeleteStepsTests
{
    private const int Versions = 10;

    [SetUp]
    public void BeQuick() => BenchmarkScale.IsQuick = true;

    [OneTimeTearDown]
    public void RemoveTemplates() => DatabaseTemplates.Remove();

    [Test]
    public void All_ways_leave_the_same_and_the_engine_alone_changes_as_many_rows_as_the_statements()
    {
        var template = VersionedBackup.Template(Versions);
        var (plain, expected) = DeleteSteps.Run(template, Versions, OperationWays.Plain);
        var (engine, answerOfEngine) = DeleteSteps.Run(template, Versions, OperationWays.Engine);
        var (door, answerOfDoor) = DeleteSteps.Run(template, Versions, OperationWays.Door);

        Assert.That(new[] { answerOfEngine, answerOfDoor }, Is.All.EqualTo(expected));
        Assert.That(engine.Sum(cost => cost.Rows), Is.Positive.And.EqualTo(plain.Sum(cost => cost.Rows)));
        Assert.That(engine.Concat(plain).Select(cost => cost.Name).Distinct(), Is.SubsetOf(door.Select(cost => cost.Name)));
    }
}
