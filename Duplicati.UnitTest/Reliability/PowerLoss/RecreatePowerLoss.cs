// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Library.Interface;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Reliability.PowerLoss;

/// <summary>
/// A recreate to a new file, or one that takes the place of another file; whatever is left, the next recreate makes the same of it.
/// </summary>
internal sealed class RecreatePowerLoss(string preset, bool replaces) : PowerLossCase
{
    // Going on takes a second.
    private const int GoneOn = 16;
    private const string Old = """INSERT INTO "Configuration" ("Key", "Value") VALUES ('old', 'x')""";

    private RecreateCase? m_case;

    internal override string Name => $"recreate {(replaces ? "over another file" : "to a new file")}, preset {preset}";

    /// <summary>A recreate that returned stays, with whatever preset.</summary>
    internal override bool IsDurable => true;

    internal override async Task PrepareAsync(string folder, Random random)
    {
        m_case = await RecreateCase.MakeAsync(random, files: 6);
        if (!replaces)
            return;

        // With a log that nobody has moved into the file.
        var path = m_case.Backup.File("old.sqlite");
        File.Copy(m_case.Whole, path);
        using var connection = Library.SQLiteHelper.SQLiteLoader.LoadConnection(path);
        connection.Execute(Old);
        foreach (var suffix in (ReadOnlySpan<string>)["", "-wal"])
        {
            using var from = new FileStream(path + suffix, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            using var to = File.Create(Path.Combine(folder, Database + suffix));
            from.CopyTo(to);
        }
    }

    internal override async Task RunAsync(string folder, DiskRecorder recorder)
    {
        await RecreateAsync(folder, replaces);
        recorder.Mark();
    }

    // With the preset that flushes nothing the new file may be corrupt until the rebuild ends, but what is there for a whole one.
    internal override bool MayDamage(string folder) =>
        !replaces && preset == ConnectionPreset.Rebuild.Name && !IsWhole(Path.Combine(folder, Database));

    internal override async Task CheckAsync(string folder, string where, int number)
    {
        if (number % GoneOn != 0)
            return;
        try
        {
            await RecreateAsync(folder, overwrite: false);
        }
        catch (UserInformationException ex) when (ex.HelpID == "RecreateTargetDatabaseExists")
        {
            await RecreateAsync(folder, overwrite: true);
        }

        Assert.That(
            Databases
                .Compare(m_case!.Whole, Path.Combine(folder, Database), DumpComparisonOptions.Logical)
                .Select(x => x.ToString())
                // Carried over, unless only a new one without it was left.
                .Where(x => !replaces || !x.StartsWith("configuration + old", StringComparison.Ordinal)),
            Is.Empty,
            where
        );
    }

    public override void Dispose()
    {
        m_case?.Dispose();
        base.Dispose();
    }

    private static bool IsWhole(string path)
    {
        try
        {
            return !UnfinishedRecreate.Is(path)
                && DatabaseState.Open(path) != DatabaseState.None
                && SampleDatabase.Rows(path, """SELECT MAX("Version") FROM "Version" """)[0] == "19";
        }
        catch (Microsoft.Data.Sqlite.SqliteException)
        {
            return false;
        }
    }

    private Task RecreateAsync(string folder, bool overwrite)
    {
        var options = m_case!.Backup.Options with { DatabasePath = Path.Combine(folder, Database), Preset = preset };
        return new RecreateOperation(options, SilentProgress.Instance) { Overwrite = overwrite }.RunAsync(default);
    }
}
