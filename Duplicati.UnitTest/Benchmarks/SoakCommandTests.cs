using Duplicati.Benchmarks.Soak;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>Long runs go on where they were stopped, and each row names a test that is there.</summary>
[TestFixture]
internal sealed class SoakCommandTests
{
    private static readonly SoakRow s_row = new("8", "promise", "Class.Test", 250, "copies", 100);

    private readonly List<(int Seed, long Count)> m_rounds = [];

    private TestFolder m_folder = null!;

    [SetUp]
    public void SetUp()
    {
        m_folder = new TestFolder();
        m_rounds.Clear();
    }

    [TearDown]
    public void TearDown() => m_folder.Dispose();

    [Test]
    public async Task Rounds_have_seeds_one_after_the_other_until_the_figure_is_reached()
    {
        Assert.That(await Run().RunAsync(s_row, 7, null, default), Is.Zero);
        Assert.That(m_rounds, Is.EqualTo(new[] { (7, 100L), (8, 100L), (9, 50L) }));
        Assert.That(await Run().RunAsync(s_row, null, null, default), Is.Zero);
        Assert.That(m_rounds, Has.Count.EqualTo(3), "nothing is left to do");
    }

    [Test]
    public async Task A_stopped_run_goes_on_with_the_seed_after_its_last_one()
    {
        using var stop = new CancellationTokenSource();
        Assert.That(() => Run(seed => seed == 8 ? Stopped(stop) : null).RunAsync(s_row, 7, null, stop.Token), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(await Run().RunAsync(s_row, null, null, default), Is.Zero);
        Assert.That(m_rounds.Select(x => x.Seed), Is.EqualTo(new[] { 7, 8, 8, 9 }), "the one at work is made again");
        Assert.That(Progress().Done, Is.EqualTo(250));
    }

    [Test]
    public async Task A_round_that_fails_is_kept_with_its_seed_and_does_not_count()
    {
        Assert.That(await Run(seed => seed == 8 ? "Expected: empty" : null).RunAsync(s_row, 7, null, default), Is.EqualTo(1));
        Assert.That(m_rounds.Select(x => x.Seed), Is.EqualTo(new[] { 7, 8, 9, 10 }));
        Assert.That(Progress().Failures, Is.EqualTo(new[] { new SoakFailure(8, "Expected: empty") }));
        Assert.That(SoakRun.Describe(s_row, Progress()), Does.Contain("250 of 250 copies, 1 failures").And.Contain("seeds 7 to 10"));
    }

    [Test]
    public async Task Rounds_that_all_fail_end_it()
    {
        Assert.That(await Run(_ => "The tests cannot be run.").RunAsync(s_row, 7, null, default), Is.EqualTo(SoakRun.MostInARow));
        Assert.That(m_rounds, Has.Count.EqualTo(SoakRun.MostInARow));
    }

    [Test]
    public async Task No_round_begins_when_the_time_is_over()
    {
        await Run().RunAsync(s_row, 7, TimeSpan.Zero, default);
        Assert.That(m_rounds, Is.Empty);
    }

    [Test]
    public void A_file_that_is_none_of_its_own_is_named()
    {
        File.WriteAllText(m_folder.File("soak.json"), "{");
        Assert.That(() => Run().RunAsync(s_row, 7, null, default), Throws.InstanceOf<InvalidDataException>().With.Message.Contain("soak.json"));
    }

    [Test]
    public void Each_row_names_one_test_of_the_long_category()
    {
        Assert.That(SoakRow.All.Select(x => x.Name), Is.Unique);
        var methods = typeof(SoakCommandTests).Assembly.GetTypes().SelectMany(x => x.GetMethods()).Where(IsLong).Select(x => $"{x.DeclaringType!.Name}.{x.Name}").ToHashSet();
        Assert.That(SoakRow.All.Select(x => x.Test), Is.SubsetOf(methods));
    }

    private static bool IsLong(System.Reflection.MethodInfo method) =>
        method.GetCustomAttributes(typeof(CategoryAttribute), inherit: false).Cast<CategoryAttribute>().Any(x => x.Name == LongRun.Category)
        || method.GetCustomAttributes(typeof(TestCaseAttribute), inherit: false).Cast<TestCaseAttribute>().Any(x => x.Category == LongRun.Category);

    private static string? Stopped(CancellationTokenSource stop)
    {
        stop.Cancel();
        stop.Token.ThrowIfCancellationRequested();
        return null;
    }

    private SoakProgress Progress() => SoakState.Read(m_folder.File("soak.json")).Of(s_row);

    private SoakRun Run(Func<int, string?>? answer = null) => new(
        m_folder.File("soak.json"),
        (_, seed, count, _) =>
        {
            m_rounds.Add((seed, count));
            return Task.FromResult(answer?.Invoke(seed));
        },
        TextWriter.Null);
}
