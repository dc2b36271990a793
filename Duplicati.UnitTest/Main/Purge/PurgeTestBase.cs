// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.Purge;

/// <summary>A version of two files in a folder, one in another, and a link; a second version has the first of the files.</summary>
public abstract class PurgeTestBase : SampleTestBase
{
    private protected LocalPurgeDatabase Db { get; private set; } = null!;

    private protected long FilesetId { get; private set; }

    [SetUp]
    public async Task Fill()
    {
        var volume = Data.Volume("blocks");
        var (own, shared, c, m, common) = (
            Data.Block("own", 10, volume),
            Data.Block("shared", 20, volume),
            Data.Block("c", 40, volume),
            Data.Block("m", 7, volume),
            Data.Block("common", 9, volume)
        );
        var metadata = Data.Metadata(Data.Blockset("common", 9, common));
        var a = Data.File("/d/a", Data.Blockset("a", 30, own, shared), Data.Metadata(Data.Blockset("m", 7, m)));
        FilesetId = Data.Fileset(
            1000,
            a,
            Data.File("/d/", SampleDatabase.Folder, metadata),
            Data.File("/d/b", Data.Blockset("b", 30, shared), metadata),
            Data.File("/e/c", Data.Blockset("c", 40, c), metadata),
            Data.File("/link", SampleDatabase.Symlink, metadata)
        );
        Data.Fileset(2000, a);
        Data.Insert("""UPDATE "FilesetEntry" SET "Lastmodified" = 5""");
        Db = await LocalPurgeDatabase.CreateAsync(Data.Close(), null, default);
    }

    [TearDown]
    public void Close() => Db.Dispose();
}
