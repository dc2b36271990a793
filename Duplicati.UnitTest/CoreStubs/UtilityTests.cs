// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Utility;
using Core = Duplicati.Library.Utility.Utility;

namespace Duplicati.UnitTest.CoreStubs;

[TestFixture]
[Contract("A 2 Utility")]
public class UtilityTests
{
    [Test]
    public void Epoch_seconds_are_whole_and_rounded_down()
    {
        Assert.That(Core.NormalizeDateTimeToEpochSeconds(Core.EPOCH), Is.Zero);
        Assert.That(Core.NormalizeDateTimeToEpochSeconds(Core.EPOCH.AddSeconds(5.999)), Is.EqualTo(5));
        Assert.That(Core.NormalizeDateTimeToEpochSeconds(Core.EPOCH.AddSeconds(-0.5)), Is.EqualTo(-1));
        Assert.That(Core.EPOCH.Kind, Is.EqualTo(DateTimeKind.Utc));
    }

    [Test]
    public void Epoch_seconds_of_a_local_time_are_those_of_the_same_moment()
    {
        var utc = new DateTime(2026, 7, 1, 12, 0, 0, DateTimeKind.Utc);
        Assert.That(Core.NormalizeDateTimeToEpochSeconds(utc.ToLocalTime()), Is.EqualTo(Core.NormalizeDateTimeToEpochSeconds(utc)));
    }

    [Test]
    public void The_smallest_time_does_not_overflow() =>
        Assert.That(Core.NormalizeDateTimeToEpochSeconds(DateTime.MinValue), Is.EqualTo(-62135596800));

    [Test]
    public void A_hex_guid_has_32_upper_case_digits_and_is_fresh()
    {
        var first = Core.GetHexGuid();
        Assert.That(first, Does.Match("^[0-9A-F]{32}$"));
        Assert.That(Core.GetHexGuid(), Is.Not.EqualTo(first));
    }

    [Test]
    public void Text_is_read_with_and_without_a_byte_order_mark()
    {
        Assert.That(Core.GetStringWithoutBOM([0xEF, 0xBB, 0xBF, (byte)'{', (byte)'}']), Is.EqualTo("{}"));
        Assert.That(Core.GetStringWithoutBOM("{}"u8.ToArray()), Is.EqualTo("{}"));
        Assert.That(Core.GetStringWithoutBOM([]), Is.Empty);
    }

    [Test]
    public void Values_are_formatted_in_the_invariant_culture()
    {
        Assert.That(Core.FormatInvariantValue(1.5), Is.EqualTo("1.5"));
        Assert.That(Core.FormatInvariantValue<string?>(null), Is.Empty);
        Assert.That(Core.FormatInvariantFormattable($"{2.5}x"), Is.EqualTo("2.5x"));
    }

    [TestCase(0, "0 bytes")]
    [TestCase(1023, "1023 bytes")]
    [TestCase(1536, "1.50 KiB")]
    [TestCase(5L << 30, "5.00 GiB")]
    public void Sizes_are_formatted_with_a_unit(double size, string text) => Assert.That(Core.FormatSizeString(size), Is.EqualTo(text));

    [Test]
    public void Await_returns_the_result_or_throws_the_exception_itself()
    {
        Assert.That(Task.FromResult(3).Await(), Is.EqualTo(3));
        Assert.That(new ValueTask<int>(4).Await(), Is.EqualTo(4));
        Assert.That(() => Task.FromException(new InvalidDataException("x")).Await(), Throws.TypeOf<InvalidDataException>());
        Assert.That(() => Task.FromException<int>(new InvalidDataException("x")).Await(), Throws.TypeOf<InvalidDataException>());
    }

    [Test]
    public void Await_waits_for_work_on_another_thread()
    {
        var source = new TaskCompletionSource<int>();
        var thread = Task.Run(() => source.SetResult(9));
        Assert.That(new ValueTask<int>(source.Task).Await(), Is.EqualTo(9));
        thread.Await();
    }

    [TestCase("1kb", 1024)]
    [TestCase("50MB", 50L << 20)]
    [TestCase("3", 3072)]
    [TestCase("2 gb", 2L << 30)]
    [TestCase("7b", 7)]
    public void Sizes_are_read_with_a_unit(string text, long bytes) => Assert.That(Sizer.ParseSize(text, "kb"), Is.EqualTo(bytes));

    [TestCase("")]
    [TestCase("x")]
    [TestCase("1xb")]
    public void What_is_no_size_is_refused(string text) => Assert.That(() => Sizer.ParseSize(text), Throws.TypeOf<FormatException>());

    [TestCase("30m", 30 * 60)]
    [TestCase("1D2h", 26 * 3600)]
    [TestCase("1W", 7 * 86400)]
    public void Durations_are_read(string text, int seconds) =>
        Assert.That(Timeparser.ParseTimeSpan(text).TotalSeconds, Is.EqualTo(seconds));

    [Test]
    public void Times_are_read_absolute_and_relative()
    {
        var now = new DateTime(2026, 3, 1, 0, 0, 0, DateTimeKind.Local);
        Assert.That(Timeparser.ParseTimeInterval("1M", now, negate: true), Is.EqualTo(new DateTime(2026, 2, 1)));
        Assert.That(Timeparser.ParseTimeInterval("now", now), Is.EqualTo(now));
        Assert.That(Timeparser.ParseTimeInterval("20260102T030405Z", now).ToUniversalTime(), Is.EqualTo(new DateTime(2026, 1, 2, 3, 4, 5)));
        Assert.That(() => Timeparser.ParseTimeInterval("soon", now), Throws.TypeOf<FormatException>());
        Assert.That(() => Timeparser.ParseTimeSpan("5"), Throws.TypeOf<FormatException>());
    }
}
