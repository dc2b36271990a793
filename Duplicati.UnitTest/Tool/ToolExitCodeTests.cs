// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>Scripts can tell by the exit code what they can do about.</summary>
[TestFixture]
internal sealed class ToolExitCodeTests
{
    // All others end with 3.
    private static readonly Dictionary<string, int> s_codes = new(StringComparer.Ordinal)
    {
        ["DatabaseDoesNotExist"] = 10,
        ["EmptyRemoteLocation"] = 10,
        ["EmptyRemoteLocationWithPrefix"] = 10,
        ["FolderMissing"] = 10,
        ["RemoteFolderEmptyWithPrefix"] = 10,
        ["DatabaseIsBeingFilled"] = 11,
        ["DatabaseIsBusy"] = 11,
        ["MissingPassphrase"] = 12,
        ["WrongPassphrase"] = 12,
        ["InvalidArgument"] = 2,
        ["Cancelled"] = 130,
    };

    [Test]
    public async Task Every_help_id_tells_its_exit_code()
    {
        Assert.That(s_codes.Keys, Is.SubsetOf(HelpIds.Topics.Keys));
        foreach (var id in HelpIds.Topics.Keys)
        {
            var run = await ToolRun.RunAsync("help", id);
            Assert.That(run.Output.TrimEnd(), Does.EndWith($"Exit code {s_codes.GetValueOrDefault(id, 3)}."), id);
        }
    }

    [Test]
    public async Task The_README_and_the_help_tell_every_exit_code()
    {
        var readme = await File.ReadAllLinesAsync(Repository.File("README.md"));
        var help = (await ToolRun.RunAsync("--help")).Output;
        foreach (var code in new[] { 0, 1, 2, 3, 4, 10, 11, 12, 130 })
        {
            Assert.That(readme.Count(x => x.StartsWith($"| {code} | ", StringComparison.Ordinal)), Is.EqualTo(1), $"{code}");
            Assert.That(help, Does.Match($@"\b{code} \w+"));
        }
    }
}
