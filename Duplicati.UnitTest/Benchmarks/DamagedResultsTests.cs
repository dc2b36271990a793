// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json.Nodes;
using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.Processes;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>
/// Each value of a result file taken away, emptied, made zero or something else: a report and a comparison are made of what is left, or
/// refused with a message that names the file, and never end with an exception.
/// </summary>
[TestFixture]
public class DamagedResultsTests
{
    private static readonly string?[] s_replacements = [null, "null", "0", "-1", "\"\"", "\"NaN\"", "[]", "{}"];

    [TestCase("blocks/micro.json")]
    [TestCase("e2e.json")]
    [TestCase("some.table.json")]
    public void A_damaged_result_file_is_shown_without_it_or_named(string name)
    {
        using var folder = new TestFolder();
        Write(folder.File("run"), name);
        var manifest = folder.File("manifest.json");
        Assert.That(CompareCommand.Run(folder.File("run"), manifest, true, TextWriter.Null, TextWriter.Null), Is.Zero);
        var path = Path.Combine(folder.File("run"), name);
        var whole = File.ReadAllText(path);
        var places = Places(JsonNode.Parse(whole)!).ToList();
        Assert.That(places, Has.Count.GreaterThan(10));
        foreach (var place in places)
        {
            foreach (var replacement in s_replacements)
            {
                File.WriteAllText(path, Damage(whole, place, replacement));
                var context = $"{string.Join('/', place)} = {replacement ?? "nothing"}";
                Check(errors => ReportCommand.Run(folder.File("run"), folder.File("out.md"), null, errors), name, context);
                Check(errors => CompareCommand.Run(folder.File("run"), manifest, false, TextWriter.Null, errors), name, context);
                Check(
                    errors => CompareCommand.Run(folder.File("run"), folder.File("new.json"), true, TextWriter.Null, errors),
                    name,
                    context
                );
            }
        }
    }

    [Test]
    public void A_damaged_manifest_is_held_against_or_named()
    {
        using var folder = new TestFolder();
        SampleResults.WriteMicro(folder.File("run"), 4);
        var manifest = folder.File("manifest.json");
        Assert.That(CompareCommand.Run(folder.File("run"), manifest, true, TextWriter.Null, TextWriter.Null), Is.Zero);
        var whole = File.ReadAllText(manifest);
        foreach (var place in Places(JsonNode.Parse(whole)!))
        {
            foreach (var replacement in s_replacements)
            {
                File.WriteAllText(manifest, Damage(whole, place, replacement));
                Check(
                    errors => CompareCommand.Run(folder.File("run"), manifest, false, TextWriter.Null, errors),
                    "manifest.json",
                    $"{string.Join('/', place)} = {replacement ?? "nothing"}"
                );
            }
        }
    }

    // 2 says that nothing could be done, and why; the other codes say what came out.
    private static void Check(Func<TextWriter, int> command, string name, string context)
    {
        using var errors = new StringWriter();
        var code = -1;
        Assert.That(() => code = command(errors), Throws.Nothing, context);
        Assert.That(code, Is.InRange(0, 3), context);
        if (code != ExitCodes.WrongCommandLine)
            return;

        Assert.That(errors.ToString().Trim(), Is.Not.Empty, context);
        if (errors.ToString().Contains("cannot be read", StringComparison.Ordinal))
            Assert.That(errors.ToString(), Does.Contain(Path.GetFileName(name)), context);
    }

    private static void Write(string folder, string name)
    {
        switch (name)
        {
            case "blocks/micro.json":
                SampleResults.WriteMicro(folder, 4);
                break;
            case "e2e.json":
                SampleResults.WriteEndToEnd(folder);
                break;
            default:
                SampleResults.WriteTable(folder);
                break;
        }
    }

    // Every value below the root, by the names and numbers that lead to it.
    private static IEnumerable<object[]> Places(JsonNode node) =>
        node switch
        {
            JsonObject item => item.SelectMany(entry => Below(entry.Key, entry.Value)),
            // Enough of a list is its first and its last.
            JsonArray { Count: > 0 } list => new[] { 0, list.Count - 1 }.Distinct().SelectMany(index => Below(index, list[index])),
            _ => [],
        };

    private static IEnumerable<object[]> Below(object step, JsonNode? value) =>
        (value is null ? [] : Places(value)).Select(rest => (object[])[step, .. rest]).Prepend([step]);

    private static string Damage(string whole, object[] place, string? replacement)
    {
        var root = JsonNode.Parse(whole)!;
        var parent = place[..^1].Aggregate(root, (node, step) => (step is int index ? node[index] : node[(string)step])!);
        var value = replacement is null ? null : JsonNode.Parse(replacement);
        switch (parent, place[^1])
        {
            case (JsonObject item, string key) when replacement is null:
                item.Remove(key);
                break;
            case (JsonObject item, string key):
                item[key] = value;
                break;
            case (JsonArray list, int index) when replacement is null:
                list.RemoveAt(index);
                break;
            case (JsonArray list, int index):
                list[index] = value;
                break;
        }

        return root.ToJsonString();
    }
}
