// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine.Parsing;
using System.Text.Json;
using Duplicati.Library.Main;

namespace Duplicati.UnitTest.Tool.Finding;

/// <summary><c>volumes</c>: what the database says of each, and what settles those that are on their way.</summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class VolumesTests
{
    private static readonly string[] s_onTheirWay = ["--state", "Temporary", "--state", "Uploading", "--state", "Deleting"];

    private VolumeStateCase m_case = null!;

    [OneTimeSetUp]
    public async Task MakeBackup() => m_case = await VolumeStateCase.CreateAsync();

    [OneTimeTearDown]
    public void RemoveBackup() => m_case.Dispose();

    // To the letter, with the address of the remote folder, which the database does not know.
    [TestCase(null)]
    [TestCase(RemoteVolumeState.Uploading)]
    [TestCase(RemoteVolumeState.Deleting)]
    public async Task What_is_advised_settles_the_volumes_that_are_on_their_way(RemoteVolumeState? state)
    {
        if (state is { } blocks)
            m_case.Make(new VolumeCell(blocks, FileThere.Whole, NeededBy.Nobody, VolumeKind.Blocks, false));
        else
            m_case.Make(isInterrupted: true);
        var before = await VolumesAsync(s_onTheirWay);
        Assert.That(before.Items("volumes"), Is.Not.Empty.And.All.Matches<JsonElement>(x => x.GetProperty("why").GetString()!.Length > 20));
        var text = await ToolRun.RunAsync(["volumes", "--dbpath", m_case.Database, .. s_onTheirWay]);
        var command = before.Json.GetProperty("unsettled").GetProperty("command").GetString()!;
        Assert.That(text.Output, Does.Contain(command));

        string[] words = [.. CommandLineParser.SplitCommandLine(command).Skip(1).Select(x => x == "REMOTE" ? m_case.Remote : x)];
        await ToolRun.OkAsync(ToolRun.AnswerAsync("y", [.. words, "--no-encryption"]));
        var after = await VolumesAsync(s_onTheirWay);
        // Of an interrupted version the list stays, which the next backup uploads.
        Assert.That(
            after.Items("volumes").Select(x => $"{x.GetProperty("state")} {x.GetProperty("type")}"),
            state is null ? Is.EqualTo(new[] { "Temporary Files" }) : Is.Empty
        );
        Assert.That(after.Json.GetProperty("unsettled").ValueKind, Is.EqualTo(JsonValueKind.Null));
        Assert.That(await m_case.DifferenceAsync(), Is.Empty);
        Assert.That((await m_case.BackUpAsync()).Code, Is.Zero);
        Assert.That((await VolumesAsync(s_onTheirWay)).Items("volumes"), Is.Empty);
    }

    [Test]
    public async Task Waste_is_what_a_compact_takes_out()
    {
        m_case.Make(isInterrupted: false);
        var waste = (await VolumesAsync("--type", "blocks", "--sort", "waste")).Items("volumes");
        Assert.That(waste.Select(Waste), Is.Ordered.Descending);
        Assert.That(Waste(waste[0]), Is.Positive);
        Assert.That(waste.Select(x => x.GetProperty("type").GetString()), Is.All.EqualTo("Blocks"));
        Assert.That((await m_case.RunAsync("compact", "--threshold", "1")).Code, Is.Zero);
        Assert.That(
            (await VolumesAsync("--type", "Blocks", "--state", "Verified")).Items("volumes").Sum(Waste),
            Is.LessThan(waste.Sum(Waste))
        );

        static long Waste(JsonElement volume) => volume.GetProperty("wastedBytes").GetInt64();
    }

    [Test]
    public async Task The_order_of_tests_is_that_in_which_they_come()
    {
        m_case.Make(isInterrupted: false);
        var volumes = (await VolumesAsync("--sort", "tests")).Items("volumes");
        Assert.That(volumes.Select(Tests), Is.All.Zero);
        Assert.That((await m_case.RunAsync("test", "--samples", "1")).Code, Is.Zero);
        volumes = (await VolumesAsync("--sort", "tests")).Items("volumes");
        Assert.That(volumes.Select(Tests), Is.Ordered.And.Some.Positive);
        Assert.That(
            volumes.Select(x => x.GetProperty("lastRead").ValueKind != JsonValueKind.Null),
            Is.EqualTo(volumes.Select(x => Tests(x) > 0)),
            "it is known when they were tested"
        );
        foreach (var (order, key) in new[] { ("size", "size"), ("age", "changed"), ("name", "name") })
        {
            var values = (await VolumesAsync("--sort", order, "--state", "Verified"))
                .Items("volumes")
                .ConvertAll(x => x.GetProperty(key).ToString());
            Assert.That(values, Has.Count.GreaterThan(3).And.None.Empty, order);
        }

        static long Tests(JsonElement volume) => volume.GetProperty("tests").GetInt64();
    }

    private Task<ToolRun> VolumesAsync(params string[] words) => ToolRun.OkAsync(m_case.QueryAsync("volumes", words));
}
