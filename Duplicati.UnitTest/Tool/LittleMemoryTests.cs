// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Configuration;
using Duplicati.Library.SQLiteHelper.Memory;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>What the tool does about the C library's memory.</summary>
[TestFixture]
public class LittleMemoryTests
{
    [TestCase("small", true)]
    [TestCase(" Small", true)]
    [TestCase("default", false)]
    [TestCase(null, false)]
    public void Free_memory_is_given_back_under_the_preset_small_only(string? preset, bool expected)
    {
        using var memory = LittleMemory.For(preset);
        Assert.That(memory is not null, Is.EqualTo(expected));
    }

    [TestCase("small", 1)]
    [TestCase("default", 8)]
    public void With_little_memory_one_volume_is_read_at_a_time(string preset, int volumes) =>
        Assert.That(
            new EngineOptions
            {
                Remote = "remote",
                DatabasePath = "x",
                Preset = preset,
                Parallelism = 8,
            }.VolumesAtOnce,
            Is.EqualTo(volumes)
        );

    [Test]
    public void What_is_in_use_stays_when_free_memory_is_given_back()
    {
        using var array = new NativeArray<long>(100_000);
        array.Slice(0, 100_000).Fill(7);
        for (var i = 0; i < 100; i++)
            new NativeArray<long>(1000).Dispose();
        NativeHeap.GiveBack();
        NativeHeap.GiveBack();
        Assert.That(array.Slice(0, 100_000).IndexOfAnyExcept(7), Is.EqualTo(-1));
    }
}
