// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;

namespace Duplicati.UnitTest;

[TestFixture]
public class RemoteVolumeTests
{
    [Test]
    [Contract("A 5.3 RemoteVolume")]
    public void Two_volumes_with_the_same_values_are_not_equal() =>
        Assert.That(new[] { new RemoteVolume("n", "h", 1), new RemoteVolume("n", "h", 1) }.Distinct().Count(), Is.EqualTo(2));

    [Test]
    public void A_volume_takes_name_and_size_from_a_listing()
    {
        var file = new Entry("n", 7);
        var volume = new RemoteVolume(file);
        Assert.That((volume.Name, volume.Hash, volume.Size), Is.EqualTo(("n", (string?)null, 7L)));
        Assert.That(volume.File, Is.SameAs(file));
        Assert.That(new RemoteVolume(file, "h").Hash, Is.EqualTo("h"));
        Assert.That(new RemoteVolume("n", "h", 1).File, Is.Null);
        Assert.That(() => new RemoteVolume(null, "h"), Throws.ArgumentNullException);
    }

    [Test]
    [Contract("A 5.4 Empty")]
    [Contract("A 13 Q19")]
    public void The_empty_entry_and_the_default_entry_differ()
    {
        var empty = RemoteVolumeEntry.Empty;
        Assert.That((empty.ID, empty.Size, (int)empty.Type, (int)empty.State), Is.EqualTo((-1L, -1L, -1, -1)));
        Assert.That((empty.Name, empty.Hash, empty.LockExpirationTime), Is.EqualTo(((string?)null, (string?)null, (DateTime?)null)));
        Assert.That(empty, Is.Not.EqualTo(default(RemoteVolumeEntry)));
        Assert.That(
            (default(RemoteVolumeEntry).Type, default(RemoteVolumeEntry).State),
            Is.EqualTo((RemoteVolumeType.Blocks, RemoteVolumeState.Temporary))
        );
    }

    [Test]
    public void Entries_are_equal_by_value()
    {
        var one = Sample();
        var other = Sample();
        Assert.That(one, Is.EqualTo(other));
    }

    [Test]
    [Contract("A 1.7 numbers in the verification file")]
    [Contract("A 5.4 order of properties")]
    public void Json_has_the_order_of_the_verification_file_and_enums_as_numbers()
    {
        using var json = JsonDocument.Parse(JsonSerializer.Serialize(Sample()));
        Assert.That(
            json.RootElement.EnumerateObject().Select(x => x.Name),
            Is.EqualTo(new[] { "ID", "Name", "Hash", "Size", "Type", "State", "DeleteGracePeriod", "ArchiveTime", "LockExpirationTime" })
        );
        Assert.That(json.RootElement.GetProperty("State").GetInt32(), Is.EqualTo(3));
        Assert.That(json.RootElement.GetProperty("Type").GetInt32(), Is.EqualTo(2));
    }

    private static RemoteVolumeEntry Sample() =>
        new(4, "n", "h", 5, RemoteVolumeType.Index, RemoteVolumeState.Verified, DateTime.UnixEpoch, DateTime.UnixEpoch, DateTime.UnixEpoch);

    private sealed record Entry(string Name, long Size) : IFileEntry;
}
