// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Library.SQLiteHelper;

namespace Duplicati.UnitTest.Tool;

/// <summary>In what state the database is that a command reads.</summary>
internal enum Found
{
    Normal,
    OldSchema,
    ReadOnlyFolder,
    KilledWithLog,
    KilledWithLogAlone,
    KilledWithLogHeader,
    KilledWithLogOfNoise,
    KilledWithJournal,
    Foreign,
    OtherDatabase,
    Empty,
    IsFolder,
    IsPipe,
    IsLinkToPipe,
}

/// <summary>A backup of two versions, and its database in a folder of its own in a certain state.</summary>
internal sealed class ToolReadingCase : ToolCase
{
    /// <summary>The commands that only read, and their arguments, as lines of a case.</summary>
    public static readonly string[] Commands =
    [
        "list --dbpath $DB",
        "list --dbpath $DB --version 0",
        "search --dbpath $DB folder",
        "find --dbpath $DB --version 0",
        "find --dbpath $DB --volume $VOLUME --json",
        "volumes --dbpath $DB",
        "report --dbpath $DB --output $OUTPUT",
        "changes --dbpath $DB",
        "affected --dbpath $DB $VOLUME",
        "check --dbpath $DB",
        "check $REMOTE --dbpath $DB --no-encryption",
        "verify $REMOTE --dbpath $DB --no-encryption",
        "test $REMOTE --dbpath $DB --no-encryption --samples all --dry-run",
        "list-broken-files $REMOTE --dbpath $DB --no-encryption",
        "databases $FOLDER",
        "info $DB",
        "dump $DB",
        "compare $DB $DB",
        "bug-report --dbpath $DB $OUTPUT",
    ];

    /// <summary>Those that cannot go on without the one database; of a folder the bad ones are named.</summary>
    public static readonly string[] OfOneDatabase = [.. Commands.Where(x => !x.Contains("$FOLDER", StringComparison.Ordinal))];

    /// <summary>Those that need a database that is there, and change it or make files.</summary>
    public static readonly string[] Writing =
    [
        "restore $REMOTE --dbpath $DB --no-encryption --target $OUTPUT",
        "test $REMOTE --dbpath $DB --no-encryption",
        "delete $REMOTE --dbpath $DB --no-encryption --version 1 --yes",
        "delete $REMOTE --dbpath $DB --no-encryption --version 1 --dry-run",
        "purge $REMOTE */new --dbpath $DB --no-encryption --yes",
        "purge-broken-files $REMOTE --dbpath $DB --no-encryption --yes",
        "compact $REMOTE --dbpath $DB --no-encryption",
        "label text --dbpath $DB --version 0",
        "upgrade $DB",
        "downgrade $DB --to 18 --yes",
        "vacuum $DB",
    ];

    /// <summary>Those that make one where there is none.</summary>
    public static readonly string[] Making =
    [
        "backup $REMOTE $SOURCE --dbpath $DB --no-encryption",
        "recreate $REMOTE --dbpath $DB --no-encryption",
        "repair $REMOTE --dbpath $DB --no-encryption",
        "repair $REMOTE --dbpath $DB --no-encryption --dry-run",
    ];

    private ToolReadingCase() { }

    public string Folder => this["database"];

    public override string Database => Path.Combine(Folder, "backup.sqlite");

    // What is put into the folder.
    private string Made => this["made.sqlite"];

    public static async Task<ToolReadingCase> MakeAsync()
    {
        var made = new ToolReadingCase();
        Directory.CreateDirectory(made.Folder);
        await made.BackUpAsync();
        await File.WriteAllTextAsync(Path.Combine(made.Source, "folder", "new"), "new");
        await made.BackUpAsync();
        File.Move(made.Database, made.Made);
        return made;
    }

    /// <summary>Puts the database into its folder, which is made anew.</summary>
    public void Put(Found state)
    {
        if (Directory.Exists(Folder))
        {
            SetModes(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
            Directory.Delete(Folder, recursive: true);
        }

        Directory.CreateDirectory(Folder);
        File.Copy(Made, Database);
        Change(state);
        // Nothing depends on it having been changed a moment ago.
        foreach (var file in Directory.GetFiles(Folder))
            File.SetLastWriteTimeUtc(file, DateTime.UtcNow.AddHours(-1));
        if (state == Found.ReadOnlyFolder)
            SetModes(UnixFileMode.UserRead | UnixFileMode.GroupRead | UnixFileMode.OtherRead);
    }

    public override void Dispose()
    {
        if (Directory.Exists(Folder))
            SetModes(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        base.Dispose();
    }

    private void Change(Found state)
    {
        switch (state)
        {
            case Found.OldSchema:
                Databases.Downgrade(Database);
                break;
            case Found.KilledWithLog:
                Kill("WAL", "-wal", "-shm");
                break;
            case Found.KilledWithLogAlone:
                Kill("WAL", "-wal");
                break;
            case Found.KilledWithLogHeader:
                Kill("WAL", "-wal", "-shm");
                File.WriteAllBytes(Database + "-wal", File.ReadAllBytes(Database + "-wal")[..32]);
                break;
            case Found.KilledWithLogOfNoise:
                Kill("WAL", "-wal", "-shm");
                var noise = File.ReadAllBytes(Database + "-wal");
                new Random(1).NextBytes(noise);
                File.WriteAllBytes(Database + "-wal", noise);
                break;
            case Found.KilledWithJournal:
                Kill("DELETE", "-journal");
                break;
            case Found.Foreign:
                File.WriteAllText(Database, new string('x', 5000));
                break;
            case Found.OtherDatabase:
                File.Delete(Database);
                Databases.Execute(Database, "CREATE TABLE \"Recipe\" (\"Name\")");
                break;
            case Found.Empty:
                File.WriteAllBytes(Database, []);
                break;
            case Found.IsFolder:
                File.Delete(Database);
                Directory.CreateDirectory(Database);
                break;
            case Found.IsPipe:
                MakePipe(Database);
                break;
            case Found.IsLinkToPipe:
                MakePipe(this["pipe"]);
                File.Delete(Database);
                File.CreateSymbolicLink(Database, this["pipe"]);
                break;
        }
    }

    private static void MakePipe(string path)
    {
        File.Delete(path);
        using var make = Process.Start("mkfifo", [path]);
        Wait.ForEnd(make);
    }

    // With a log, one row is committed in it alone; with a journal, a change is half written to the file.
    private void Kill(string mode, params string[] besides)
    {
        var working = this["working.sqlite"];
        File.Copy(Made, working, overwrite: true);
        using var connection = SQLiteLoader.LoadConnection(working);
        connection.Execute($"PRAGMA journal_mode = {mode}; PRAGMA cache_size = 1");
        if (mode == "WAL")
            connection.Execute("INSERT INTO \"Configuration\" (\"Key\", \"Value\") VALUES ('from the log', 'x')");
        else
            connection.Execute("BEGIN IMMEDIATE; UPDATE \"Block\" SET \"Size\" = 77; UPDATE \"FileLookup\" SET \"Path\" = 'half'");
        foreach (var beside in besides.Prepend(""))
            File.Copy(working + beside, Database + beside, overwrite: true);
        if (mode != "WAL")
            connection.Execute("ROLLBACK");
    }

    private void SetModes(UnixFileMode mode)
    {
        if (OperatingSystem.IsWindows())
            return;
        if (mode.HasFlag(UnixFileMode.UserWrite))
            File.SetUnixFileMode(Folder, mode);
        foreach (var file in Directory.GetFiles(Folder))
            File.SetUnixFileMode(file, mode & ~UnixFileMode.UserExecute);
        if (!mode.HasFlag(UnixFileMode.UserWrite))
            File.SetUnixFileMode(Folder, mode | UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute);
    }
}
