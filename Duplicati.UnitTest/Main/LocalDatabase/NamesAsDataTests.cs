// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>Whatever a name consists of, it is stored and given back unchanged and never read as part of a statement.</summary>
public sealed class NamesAsDataTests : LocalDatabaseTestBase
{
    private static readonly CancellationToken s_none = CancellationToken.None;

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
        var id = await Db.RegisterRemoteVolumeAsync(name, RemoteVolumeType.Blocks, RemoteVolumeState.Uploading, s_none);
        await Db.UpdateRemoteVolumeAsync(name, RemoteVolumeState.Uploaded, 1, name, s_none);

        var volume = await Db.GetRemoteVolumeAsync(name, s_none);
        Assert.That((volume.ID, volume.Name, volume.Hash), Is.EqualTo((id, name, name)));
        Assert.That(
            await ListAsync(Db.GetRemoteVolumeIDsAsync([name], s_none)),
            Is.EqualTo(new[] { new KeyValuePair<string, long>(name, id) })
        );

        await Db.RenameRemoteFileAsync(name, name + name, s_none);
        Assert.That(await Db.GetRemoteVolumeIDAsync(name + name, s_none), Is.EqualTo(id));
        await Db.RemoveRemoteVolumesAsync([name, name + name], s_none);
        Assert.That(await ListAsync(Db.GetRemoteVolumesAsync(s_none)), Is.Empty);
    }

    [TestCaseSource(nameof(Names))]
    public async Task Prefixes_options_and_messages(string name)
    {
        var id = await Db.GetOrCreatePathPrefixAsync(name, s_none);
        await Db.Transaction.CommitAsync(s_none);
        await Db.SetDbOptionsAsync(new Dictionary<string, string> { [name] = name }, s_none);
        await Db.LogMessageAsync(name, name, null, s_none);

        using var child = await LocalDatabase.CreateLocalDatabaseAsync(Db, null, s_none);
        Assert.That(await child.GetOrCreatePathPrefixAsync(name, s_none), Is.EqualTo(id));
        Assert.That(await Db.GetDbOptionsAsync(s_none), Is.EqualTo(new Dictionary<string, string> { [name] = name }));
        Assert.That(
            await Db.Session.ShortAsync(session => session.Take("SELECT Message FROM LogData").ExecuteString(), s_none),
            Is.EqualTo(name)
        );
    }

    [TestCaseSource(nameof(Names))]
    public async Task Paths_in_lists_and_filters(string name)
    {
        var path = "/" + name;
        var prefix = await Db.GetOrCreatePathPrefixAsync("/", s_none);
        await Db.Session.ShortAsync(
            session =>
            {
                session.Execute(
                    "INSERT INTO Blockset (ID, Length, FullHash) VALUES (1, 0, 'h'); INSERT INTO Metadataset (ID, BlocksetID) VALUES (1, 1); INSERT INTO FilesetEntry VALUES (1, 1, 0)"
                );
                using var insert = session.Take("INSERT INTO FileLookup VALUES (1, ?1, ?2, 1, 1)");
                insert.Bind(1, prefix).Bind(2, name).ExecuteNonQuery();
            },
            s_none
        );

        var writer = new RecordingFilesetWriter();
        await Db.WriteFilesetAsync(writer, 1, s_none);
        Assert.That(writer.Lines.Single(), Does.StartWith($"File|{path}|h|"));

        using var table = await LocalDatabase.FilteredFilenameTable.CreateFilteredFilenameTableAsync(
            Db,
            new FilterExpression("@" + path),
            s_none
        );
        Assert.That(
            await Db.Session.ShortAsync(
                session => session.Statements.Prepare($"SELECT Path FROM \"{table.Tablename}\"").ExecuteString(),
                s_none
            ),
            Is.EqualTo(path)
        );
    }
}
