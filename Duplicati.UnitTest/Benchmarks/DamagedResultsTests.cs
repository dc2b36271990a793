// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json.Nodes;
using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.Processes;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>
/// Files that are cut off, empty, of another kind or without a part that they must have are refused with a message that names the file and
/// says what to do.
/// </summary>
[TestFixture]
public class DamagedResultsTests
{
    private const string Micro = "run/blocks/micro.json";
    private const string EndToEnd = "run/e2e.json";
    private const string Table = "run/some.table.json";
    private const string Pinned = "manifest.json";

    private static readonly string[] s_all = [Micro, EndToEnd, Table, Pinned];

    [TestCase(Micro, "Group", "Environment/Processors", "Cases/0/ProcessorNanoseconds")]
    [TestCase(EndToEnd, "Options", "Results/0/Operation", "Database/0/Runs/0/Round")]
    [TestCase(Table, "Rows", "Environment/Provider", "Ratios/0/Setting")]
    [TestCase(Pinned, "Machine", "Ratios", "Ratios/0/Ratio")]
    public void A_damaged_file_is_named_with_what_to_do(string name, params string[] parts)
    {
        using var folder = new TestFolder();
        var (run, manifest) = (folder.File("run"), folder.File(Pinned));
        SampleResults.WriteMicro(run, 4);
        Assert.That(CompareCommand.Run(run, manifest, true, TextWriter.Null, TextWriter.Null), Is.Zero);
        SampleResults.WriteEndToEnd(run);
        SampleResults.WriteTable(run);
        Assert.That(CompareCommand.Run(run, manifest, false, TextWriter.Null, TextWriter.Null), Is.Zero);
        var whole = File.ReadAllText(folder.File(name));
        string[] damaged =
        [
            .. new[] { "", "null", "0", "[]", "{}" },
            .. s_all.Where(other => other != name).Select(other => File.ReadAllText(folder.File(other))),
            .. Enumerable.Range(1, 9).Select(tenths => whole[..(whole.Length * tenths / 10)]),
            .. parts.SelectMany(part => new[] { Without(whole, part), Emptied(whole, part) }),
        ];
        foreach (var text in damaged)
        {
            File.WriteAllText(folder.File(name), text);
            Check(errors => CompareCommand.Run(run, manifest, false, TextWriter.Null, errors), name, text);
            if (name != Pinned)
                Check(errors => ReportCommand.Run(run, folder.File("out.md"), null, errors), name, text);
        }
    }

    private static void Check(Func<TextWriter, int> command, string name, string text)
    {
        using var errors = new StringWriter();
        Assert.That(command(errors), Is.EqualTo(ExitCodes.WrongCommandLine), text);
        Assert.That(errors.ToString(), Does.Contain(name + " cannot be read: ").And.Contain("Make it again, or take it away."), text);
    }

    private static string Without(string whole, string part) => Changed(whole, part, (parent, key) => parent.Remove(key));

    private static string Emptied(string whole, string part) => Changed(whole, part, (parent, key) => parent[key] = null);

    // A part is named by what leads to it.
    private static string Changed(string whole, string part, Action<JsonObject, string> change)
    {
        var root = JsonNode.Parse(whole)!;
        var steps = part.Split('/');
        var parent = steps[..^1].Aggregate(root, (node, step) => (int.TryParse(step, out var index) ? node[index] : node[step])!);
        change(parent.AsObject(), steps[^1]);
        return root.ToJsonString();
    }
}
