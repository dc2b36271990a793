// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Linking;

/// <summary>The newest state of core's tree with each schema that the sources are linked into; older ones call less.</summary>
internal enum CoreState
{
    /// <summary>2.3.0.109, and what refreshes statistics after it.</summary>
    Schema19,

    /// <summary>Versions have labels, list volumes tell the time of their fileset, and lost metadata is replaced.</summary>
    Schema20,
}

/// <summary>What stands for the operations of core: a caller of each member that came in after the release.</summary>
internal static class CoreCallers
{
    private const string Release = """
        #nullable enable
        using System;
        using System.Linq;
        using System.Threading;
        using System.Threading.Tasks;
        using Duplicati.Library.Main.Database;
        using Duplicati.Library.Main.Database.Local;

        namespace Duplicati.Library.Main.Operation;

        internal static partial class Callers
        {
            public static async Task<string> RunAsync(string path)
            {
                var told = "";
                await using (var database = await LocalDatabase.CreateLocalDatabaseAsync(path, "Backup", true, null, default))
                {
                    var volume = await database.RegisterRemoteVolumeAsync("a.dlist.zip", RemoteVolumeType.Files, RemoteVolumeState.Uploading, default);
                    var fileset = await database.CreateFilesetAsync(volume, DateTime.UnixEpoch.AddSeconds(1000), default);
                    await Task.WhenAll(Statistics(database) ?? Task.CompletedTask);
                    await Task.WhenAll(Label(database, fileset) ?? Task.CompletedTask);
                    await Task.WhenAll(Time(database, fileset) ?? Task.CompletedTask);
                    await database.Transaction.CommitAsync();
                    using var command = database.Connection.CreateCommand();
                    command.CommandText = "SELECT \"Version\" FROM \"Version\"";
                    told = $"schema {command.ExecuteScalar()}";
                }

                await using var list = await LocalListDatabase.CreateAsync(path, null, default);
                await foreach (var version in list.ListFilesetsExtendedAsync(default))
                    Listed(version, ref told);
                await using var sets = await list.SelectFileSetsAsync(default, [], default);
                await foreach (var set in sets.QuickSetsAsync(default))
                    Listed(set, ref told);
                await using var delete = await LocalDeleteDatabase.CreateAsync(list, null, default);
                await foreach (var version in delete.FilesetsWithBackupVersionAsync(default))
                    Listed(version, ref told);
                return told;
            }

            private static partial Task? Statistics(LocalDatabase database);
            private static partial Task? Label(LocalDatabase database, long fileset);
            private static partial Task? Time(LocalDatabase database, long fileset);
            static partial void Listed(Duplicati.Library.Interface.IListFilesetResultFileset version, ref string told);
            static partial void Listed(Duplicati.Library.Interface.IListResultFileset version, ref string told);
            static partial void Listed(LocalListDatabase.IFileset version, ref string told);
        }
        """;

    private const string Head = """
        #nullable enable
        using System;
        using System.Linq;
        using System.Threading.Tasks;
        using Duplicati.Library.Main.Database.Local;

        namespace Duplicati.Library.Main.Operation;

        internal static partial class Callers
        {

        """;

    private const string Labels = """
            private static async partial Task? Label(LocalDatabase database, long fileset)
            {
                await database.UpdateFilesetLabelAsync(fileset, "first", default);
                await foreach (var (time, label) in database.GetFilesetLabelsAsync(default))
                    if (time != DateTime.UnixEpoch.AddSeconds(1000) || label != "first")
                        throw new Exception($"{time}: {label}");
            }

            static partial void Listed(Duplicati.Library.Interface.IListFilesetResultFileset version, ref string told) => told += $" {version.Label}";
            static partial void Listed(Duplicati.Library.Interface.IListResultFileset version, ref string told) => told += $" {version.Label}";
            static partial void Listed(LocalListDatabase.IFileset version, ref string told) => told += $" {version.Label}";
        }
        """;

    private const string Times = """
            private static async partial Task? Time(LocalDatabase database, long fileset)
            {
                await database.UpdateFilesetTimestampAsync(fileset, DateTime.UnixEpoch.AddSeconds(2000), default);
                await using var broken = await LocalListBrokenFilesDatabase.CreateAsync(database, null, default);
                var ignoreReplaceableMetadata = true;
                await foreach (var found in broken.GetBrokenFilesetsAsync(new DateTime(0), null, ignoreReplaceableMetadata, default))
                    throw new Exception($"{found}");
                await foreach (var name in broken.GetBrokenFilenamesAsync(fileset, ignoreReplaceableMetadata, default))
                    throw new Exception($"{name}");
                await broken.InsertBrokenFileIDsIntoTableAsync(fileset, "Configuration", "Key", ignoreReplaceableMetadata, default);
                if ((await broken.GetFilesetsWithReplaceableMetadataAsync(default)).Count > 0)
                    throw new Exception("no metadata is lost");
                if (await broken.FindExactMetadataBlocksetIdAsync([1L], "hash", 5, default) != -1)
                    throw new Exception("no metadata has this hash");
                if (await broken.FindSmallestUsableMetadataBlocksetIdAsync([1L], default) != -1)
                    throw new Exception("there are no metadata");
                if (await broken.FindAvailableBlockIdAsync("hash", 5, [1L], default) != -1)
                    throw new Exception("there is no such block");
                var registration = await broken.RegisterBlockAsync("hash", 5, 1, default);
                var content = await broken.CreateMetadataBlocksetAsync("hash", 5, [registration.BlockId], default);
                await broken.GetOrCreateMetadatasetIdAsync(content, default);
                await broken.RollbackBlockRegistrationAsync(registration, default);
            }
        }
        """;

    /// <summary>Files of the folder Operation, some under the name by which core's state is known.</summary>
    internal static IEnumerable<(string Name, string Text)> Of(CoreState state)
    {
        yield return ("Callers.cs", Release);
        yield return (
            "Backup/BackupDatabase.cs",
            Head + "private static partial Task? Statistics(LocalDatabase database) => database.RefreshQueryStatisticsAsync(default); }"
        );
        yield return state == CoreState.Schema20
            ? ("SetVersionLabelHandler.cs", Head + Labels)
            : ("BackupHandler.cs", Head + "private static partial Task? Label(LocalDatabase database, long fileset) => null; }");
        yield return (
            "RecreateDatabaseHandler.cs",
            Head
                + (
                    state == CoreState.Schema20
                        ? Times
                        : "private static partial Task? Time(LocalDatabase database, long fileset) => null; }"
                )
        );
    }
}
