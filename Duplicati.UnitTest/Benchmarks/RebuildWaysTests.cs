using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Recreate;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>The ways to rebuild a database that are measured against each other.</summary>
[TestFixture]
public class RebuildWaysTests
{
    private const string Indexes = "SELECT group_concat(name || ' ' || sql) FROM (SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name)";

    private static readonly string[] Ways = [ScaleWays.Provider, ScaleWays.Layer, ScaleWays.Engine];

    [TestCase(2)]
    [TestCase(70)]
    [TestCase(5000)]
    public void All_ways_leave_the_same_rows_and_the_same_indexes(long blocksPerFile)
    {
        using var folder = new TestFolder();
        var backup = new SyntheticBackup(2500, blocksPerFile);
        foreach (var way in Ways)
            Rebuild(way, folder.File(way), backup);

        foreach (var way in Ways)
        {
            Assert.That(RebuiltRows.Count(folder.File(way)), Is.EqualTo(backup.ExpectedRows), way);
            Assert.That(RebuiltRows.Checksum(folder.File(way)), Is.EqualTo(RebuiltRows.Checksum(folder.File(ScaleWays.Provider))), way);
            Assert.That(Scalar(folder.File(way), Indexes), Is.EqualTo(Scalar(folder.File(ScaleWays.Provider), Indexes)), way);
            Assert.That(Scalar(folder.File(way), "PRAGMA integrity_check"), Is.EqualTo("ok"), way);
        }
    }

    [Test]
    public void The_engine_alone_tells_what_each_index_takes()
    {
        using var folder = new TestFolder();
        var backup = new SyntheticBackup(2500, 70);
        using var engine = new EngineVariant(folder.File("engine"), backup);
        new RebuildRun(backup, engine).Run();
        Assert.That(engine.Indexes.Select(index => index.Name), Is.SupersetOf(new[] { "BlockHashSize", "BlockHashVolumeID", "nnc_BlocksetEntry" }).And.Unique);
        Assert.That(engine.Indexes.Select(index => index.Processor), Is.All.GreaterThanOrEqualTo(TimeSpan.Zero));
    }

    [TestCase(ScaleWays.Provider)]
    [TestCase(ScaleWays.Layer)]
    public void The_group_records_what_was_written_and_a_checksum_of_the_answer(string way)
    {
        BenchmarkScale.IsQuick = true;
        BenchmarkRecord.Take();
        var benchmark = new RebuildBenchmark { Way = way, BlocksPerFile = 1024 };
        benchmark.Prepare();
        benchmark.Rebuild();
        benchmark.CheckAndRemove();

        var record = BenchmarkRecord.Take();
        Assert.That(record.Answer, Is.Not.Null.And.Not.Zero);
        Assert.That(record.FileBytes, Is.Positive);
        Assert.That(record.WrittenBytes, OperatingSystem.IsLinux() ? Is.GreaterThan(record.FileBytes / 2) : Is.Null);
    }

    private static void Rebuild(string way, string path, SyntheticBackup backup)
    {
        using var variant = ScaleWays.Create(way, path, backup);
        new RebuildRun(backup, variant).Run();
    }

    private static string? Scalar(string path, string sql)
    {
        using var connection = new SqliteConnection($"Data Source={path};Pooling=false");
        connection.Open();
        return connection.Scalar(sql);
    }
}
