// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Recreate;

namespace Duplicati.UnitTest.Main.Recreate;

[TestFixture]
internal sealed class RowCacheTests : RebuildTestBase
{
    [TestCase(-1, false)]
    [TestCase(0, true)]
    [TestCase(long.MaxValue, false)]
    public void A_row_with_an_id_of_a_damaged_database_is_refused(long id, bool isTaken)
    {
        var cache = new RowCache(Db.Session, "Blockset", 1 << 20);
        Assert.That(cache.TryLoad(UInt128.One, id), Is.EqualTo(isTaken));
        Assert.That(cache.TryGet(UInt128.One, out _), Is.EqualTo(isTaken));
        cache.Start(tableIsEmpty: false);
    }
}
