using System.Text;
using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Profile;
using Duplicati.Benchmarks.Reports;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>Samples of perf are read as it writes them, and each is counted for the part at work.</summary>
[TestFixture]
internal sealed class ProfileTests
{
    private const string Kernel = "\tffffffff81a2b3c4 vfs_write ([kernel.kallsyms])";
    private const string FileCall = "\tffffffff81a2b3c5 __x64_sys_pwrite64 ([kernel.kallsyms])";
    private const string NoModule = "\t    7f000000b000 [unknown] ([unknown])";
    private const string Sqlite = "\t    7f0000001000 sqlite3_step (/app/runtimes/linux-x64/native/libe_sqlite3.so)";
    private const string Native = "\t          108a40 pwrite64 (/usr/lib/x86_64-linux-gnu/libc.so.6)";
    private const string Runtime = "\t    7f0000002000 CallDescrWorkerInternal (/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.0/libcoreclr.so)";
    private const string Compiler = "\t    7f0000003000 Compiler::compCompile(CORINFO_METHOD_INFO*, int) (/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.0/libclrjit.so)";
    private const string Host = "\t    7f0000004000 hostfxr_main (/usr/share/dotnet/host/fxr/10.0.0/libhostfxr.so)";
    private const string Layer = "\t    7f0000005000 instance class [System.Runtime]System.Threading.Tasks.Task`1<int64> [Duplicati.Library.Main.Database] Duplicati.Library.Main.Database.Local.Blocks::FindAsync(class [Duplicati.Engine]Duplicati.Engine.Backup.Block)[OptimizedTier1] (/maps/perf-12.map)";
    private const string Helper = "\t    7f0000006000 instance void [SQLiteHelper] Duplicati.Library.SQLiteHelper.Statements.Row+<Read>d__2::MoveNext()[QuickJitted] (/maps/perf-12.map)";
    private const string Engine = "\t    7f0000007000 instance void [Duplicati.Engine] Duplicati.Engine.Backup.BlockRecorder::Add(class [Microsoft.Data.Sqlite]Microsoft.Data.Sqlite.SqliteConnection)[QuickJitted] (/maps/perf-12.map)";
    private const string Library = "\t    7f0000008000 [unknown] (/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Private.CoreLib.dll)";
    private const string Hashing = "\t    7f0000009000 [unknown] (/usr/lib/x86_64-linux-gnu/libcrypto.so.3)";
    private const string Compression = "\t    7f000000a000 deflate (/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.0/libSystem.IO.Compression.Native.so)";

    [TestCase(Kernel, "[kernel.kallsyms]", "vfs_write", true, null)]
    [TestCase(Sqlite, "libe_sqlite3.so", "sqlite3_step", false, null)]
    [TestCase(Compiler, "libclrjit.so", "Compiler::compCompile(CORINFO_METHOD_INFO*, int)", false, null)]
    [TestCase(Library, "System.Private.CoreLib.dll", "[unknown]", false, "System.Private.CoreLib")]
    [TestCase("\tffffffffc0101010 [unknown] ([ext4])", "[ext4]", "[unknown]", true, null)]
    [TestCase("\t    7f00 [unknown] ([unknown])", "[unknown]", "[unknown]", false, null)]
    [TestCase("\t    7f00 [unknown] (/memfd:doublemapper (deleted))", "memfd:doublemapper", "[unknown]", false, null)]
    [TestCase("\t    7f00 stub GenerateResolveStub<RESOLVE_STUB> (/maps/perf-12.map)", "perf-12.map", "stub GenerateResolveStub<RESOLVE_STUB>", false, null)]
    public void A_frame_has_its_module_and_symbol(string line, string module, string symbol, bool isKernel, string? assembly)
    {
        var frame = PerfFrame.Parse(line);
        Assert.That(frame, Is.EqualTo(new PerfFrame(module, symbol, isKernel)));
        Assert.That(frame.Assembly, Is.EqualTo(assembly));
    }

    [TestCase(Layer, "Duplicati.Library.Main.Database")]
    [TestCase(Helper, "SQLiteHelper")]
    [TestCase(Engine, "Duplicati.Engine")]
    public void The_assembly_of_a_compiled_method_is_its_own_and_not_that_of_a_parameter(string line, string assembly) =>
        Assert.That(PerfFrame.Parse(line).Assembly, Is.EqualTo(assembly));

    [Test]
    public void Samples_are_separated_by_empty_lines_and_may_have_no_stack()
    {
        using var text = new StringReader($" 12 \n{Kernel}\n{Sqlite}\n\n 13 \n\n 12 \n{Layer}\n");
        Assert.That(PerfScript.Read(text).Select(sample => (sample.Process, sample.Frames.Count)), Is.EqualTo(new[] { (12, 2), (13, 0), (12, 1) }));

        using var other = new StringReader("failed to open perf.data\n");
        Assert.That(() => PerfScript.Read(other).ToList(), Throws.InstanceOf<ProfileException>().With.Message.Contains("failed to open perf.data"));
    }

    [TestCase(ProfilePart.Sqlite, Sqlite)]
    [TestCase(ProfilePart.Sqlite, Native, Sqlite, Layer, Engine)]
    [TestCase(ProfilePart.Layer, Library, Helper, Engine)]
    [TestCase(ProfilePart.Layer, Runtime, Layer, Engine, Runtime, Host)]
    [TestCase(ProfilePart.LayerKernel, Kernel, Native, Sqlite, Layer)]
    [TestCase(ProfilePart.LayerKernel, Kernel, Kernel, Native, Library, Layer)]
    [TestCase(ProfilePart.LayerKernel, Kernel, FileCall, Native, NoModule, NoModule)]
    [TestCase(ProfilePart.Kernel, Kernel, FileCall, Native, Runtime)]
    [TestCase(ProfilePart.Kernel, Kernel, Native, NoModule)]
    [TestCase(ProfilePart.Rest, Native, NoModule)]
    [TestCase(ProfilePart.Cryptography, Hashing, Engine)]
    [TestCase(ProfilePart.Compression, Compression)]
    [TestCase(ProfilePart.Engine, Library, Engine, Layer)]
    [TestCase(ProfilePart.Kernel, Kernel, Native, Library, Engine)]
    [TestCase(ProfilePart.Kernel, Kernel)]
    [TestCase(ProfilePart.Compiler, Native, Compiler, Runtime, Layer)]
    [TestCase(ProfilePart.Runtime, Native, Runtime)]
    [TestCase(ProfilePart.Runtime, Runtime, Library, Host)]
    [TestCase(ProfilePart.Start, Native, Host)]
    [TestCase(ProfilePart.Rest, Library, Runtime, Host)]
    [TestCase(ProfilePart.Rest)]
    public void A_sample_is_of_the_innermost_part_of_its_stack(ProfilePart expected, params string[] frames) =>
        Assert.That(SampleAttribution.PartOf(new PerfSample(12, [.. frames.Select(PerfFrame.Parse)])), Is.EqualTo(expected));

    [Test]
    public void Without_perf_the_command_says_what_to_install()
    {
        using var folder = new TestFolder();
        var start = ThisProgram.Start("profile", "--output", folder.File("output"));
        start.Environment["PATH"] = folder.Path;
        var (exitCode, _, error) = ChildProcess.Run(start);

        Assert.That(exitCode, Is.EqualTo(ExitCodes.Failed), error);
        Assert.That(error, Does.Contain("needs perf").And.Contain("linux-perf"));
        Assert.That(folder.Files(), Is.Empty);
    }

    [Test]
    public async Task A_perf_that_may_not_sample_is_told_with_its_own_words()
    {
        using var folder = new TestFolder();
        using var log = new StringWriter();
        var path = Perf(folder, "echo 'Access to performance monitoring is limited.' >&2; exit 255");

        Assert.That(await ProfileCommand.RunAsync(Options(folder), path, TextWriter.Null, log, default), Is.EqualTo(ExitCodes.Failed));
        Assert.That(log.ToString(), Does.Contain("perf_event_paranoid").And.Contain("Access to performance monitoring is limited."));
    }

    [Test]
    public async Task The_table_has_the_share_of_each_part_in_each_operation()
    {
        using var folder = new TestFolder();
        using var output = new StringWriter();
        using var log = new StringWriter();
        var samples = new StringBuilder();
        foreach (var frame in new[] { Sqlite, Layer, Kernel, Hashing })
            samples.Append($" 2147483647 \n{frame}\n\n");
        File.WriteAllText(folder.File("samples.txt"), samples.ToString());
        var path = Perf(folder, $"""
            [ "$1" = --version ] && exit 0
            [ "$1" = script ] && exec cat '{folder.File("samples.txt")}'
            while [ "$1" != -- ]; do [ "$1" = -o ] && : > "$2"; shift; done
            shift
            DOTNET_PerfMapEnabled=0 exec "$@"
            """);
        var options = Options(folder);

        Assert.That(await ProfileCommand.RunAsync(options, path, output, log, default), Is.Zero, log.ToString());

        var table = ResultFolder.Load(options.Output).Tables.Single();
        Assert.That(table.Rows.Select(row => row[0]), Is.EqualTo(new[] { "list", "all" }));
        Assert.That(Cell("data layer, %"), Is.EqualTo("50.0"));
        Assert.That(Cell("SQLite, %"), Is.EqualTo("25.0"));
        Assert.That(Cell("other kernel time, %"), Is.EqualTo("25.0"));
        Assert.That(Cell("samples"), Is.EqualTo("4"));
        Assert.That(table.Command, Is.EqualTo("profile --total 300000b --preset default --repeat 1 --only list"));
        Assert.That(output.ToString(), Does.StartWith("| operation | data layer, % | SQLite, % |").And.Contain("| list | 50.0 | 25.0 |"));
        Assert.That(Directory.Exists(options.Work), Is.False, "it is removed when all went well");
        Assert.That(ResultFolder.Load(options.Output).EndToEnd, Is.Empty, "times of a program that is sampled are no results");

        string Cell(string head) => table.Rows[0][table.Texts.Concat(table.Figures).ToList().IndexOf(head)];
    }

    private static EndToEndOptions Options(TestFolder folder) => StandInPeers.Options(folder) with { Peers = [], Presets = ["default"], Operations = ["list"] };

    // The folder of a program of this name.
    private static string Perf(TestFolder folder, string script)
    {
        var place = Directory.CreateDirectory(folder.File("bin")).FullName;
        var program = Path.Combine(place, "perf");
        File.WriteAllText(program, $"#!/bin/sh\n{script}\n");
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(program, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        return place;
    }
}
