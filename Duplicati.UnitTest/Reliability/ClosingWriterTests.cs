using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Library.SQLiteHelper;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Reliability;

/// <summary>Whoever reads does not fail because another process closes the database at that moment and takes its log away.</summary>
[TestFixture]
internal sealed class ClosingWriterTests
{
    [Test]
    public async Task A_log_that_comes_and_goes_is_no_error()
    {
        using var sample = new SampleDatabase();
        sample.Close();
        var path = sample.Path;
        var child = Task.Run(() => ChildProcess.Run<Opener>(path));

        var reads = 0;
        do
        {
            var versions = await DatabaseReading.RunAsync(path, "default", Read, default);
            Assert.That(versions, Is.EqualTo("19"));
            reads++;
        }
        while (!child.IsCompleted);

        Assert.That((await child).ExitCode, Is.Zero, (await child).Error);
        TestContext.Out.WriteLine($"read {reads} times");
    }

    private static string? Read(string path)
    {
        using var reading = new ReadingConnection(path);
        return reading.Connection.Scalar("""SELECT "Version" FROM "Version" """);
    }

    /// <summary>Opens, writes every third time, and closes.</summary>
    private sealed class Opener : IChildProgram
    {
        private const int Times = 400;

        public static int Run(string[] args)
        {
            for (var i = 0; i < Times; i++)
            {
                using var connection = SQLiteLoader.LoadConnection(args[0]);
                connection.Scalar("""SELECT COUNT(*) FROM "Remotevolume" """);
                if (i % 3 == 0)
                    connection.Execute("""UPDATE "Version" SET "Version" = "Version" """);
            }

            return 0;
        }
    }
}
