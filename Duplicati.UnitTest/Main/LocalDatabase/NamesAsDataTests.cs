// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>Whatever a name consists of, it is stored and given back unchanged and never read as part of a statement.</summary>
public sealed class NamesAsDataTests : LocalDatabaseTestBase
{
    private static IEnumerable<string> Names =>
        [
            "'; DROP TABLE Block; --",
            "\"quoted\"",
            "100%_[a-z]\\",
            "nul\0inside",
            "\u202Ertl\u200F",
            "new\r\nline\ttab",
            "e\u0301 \u00E9 \U0001F600",
            "@Fileset0 ?1 {0}",
            new string('x', 32 * 1024),
            " ",
        ];

    [TestCaseSource(nameof(Names))]
    public async Task Volumes(string name)
    {
        var id = await Db.RegisterRemoteVolumeAsync(name, RemoteVolumeType.Blocks, RemoteVolumeState.Uploading, default);
        await Db.UpdateRemoteVolumeAsync(name, RemoteVolumeState.Uploaded, 1, name, default);

        var volume = await Db.GetRemoteVolumeAsync(name, default);
        Assert.That((volume.ID, volume.Name, volume.Hash), Is.EqualTo((id, name, name)));
        Assert.That(
            await ListAsync(Db.GetRemoteVolumeIDsAsync([name], default)),
            Is.EqualTo(new[] { new KeyValuePair<string, long>(name, id) })
        );

        await Db.RenameRemoteFileAsync(name, name + name, default);
        Assert.That(await Db.GetRemoteVolumeIDAsync(name + name, default), Is.EqualTo(id));
        await Db.RemoveRemoteVolumesAsync([name, name + name], default);
        Assert.That(await ListAsync(Db.GetRemoteVolumesAsync(default)), Is.Empty);
    }

    [TestCaseSource(nameof(Names))]
    public async Task Prefixes_options_and_messages(string name)
    {
        var id = await Db.GetOrCreatePathPrefixAsync(name, default);
        await Db.Transaction.CommitAsync(default);
        await Db.SetDbOptionsAsync(new Dictionary<string, string> { [name] = name }, default);
        await Db.LogMessageAsync(name, name, null, default);

        using var child = await LocalDatabase.CreateLocalDatabaseAsync(Db, null, default);
        Assert.That(await child.GetOrCreatePathPrefixAsync(name, default), Is.EqualTo(id));
        Assert.That(await Db.GetDbOptionsAsync(default), Is.EqualTo(new Dictionary<string, string> { [name] = name }));
        Assert.That(
            await Db.Session.ShortAsync(session => session.Take("SELECT Message FROM LogData").ExecuteString(), default),
            Is.EqualTo(name)
        );
    }

    [TestCaseSource(nameof(Names))]
    public async Task Paths_in_lists_and_filters(string name)
    {
        var path = "/" + name;
        var prefix = await Db.GetOrCreatePathPrefixAsync("/", default);
        await Db.Session.ShortAsync(
            session =>
            {
                session.Execute(
                    "INSERT INTO Blockset (ID, Length, FullHash) VALUES (1, 0, 'h'); INSERT INTO Metadataset (ID, BlocksetID) VALUES (1, 1); INSERT INTO FilesetEntry VALUES (1, 1, 0)"
                );
                using var insert = session.Take("INSERT INTO FileLookup VALUES (1, ?1, ?2, 1, 1)");
                insert.Bind(1, prefix).Bind(2, name).ExecuteNonQuery();
            },
            default
        );

        var writer = new RecordingFilesetWriter();
        await Db.WriteFilesetAsync(writer, 1, default);
        Assert.That(writer.Lines.Single(), Does.StartWith($"File|{path}|h|"));

        using var table = await LocalDatabase.FilteredFilenameTable.CreateFilteredFilenameTableAsync(
            Db,
            new FilterExpression("@" + path),
            default
        );
        Assert.That(
            await Db.Session.ShortAsync(
                session => session.Statements.Prepare($"SELECT Path FROM \"{table.Tablename}\"").ExecuteString(),
                default
            ),
            Is.EqualTo(path)
        );
    }
}
