// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Common;

/// <summary>
/// Everything the engine and the tool ever advise to do, each a sentence or two that follow what is wrong. Whoever does it to the letter
/// loses nothing that was there; a test breaks a backup for every member of this class, does what it says, and fails for a member it does
/// not know.
/// </summary>
internal static class Advice
{
    /// <summary>A volume of the remote folder is damaged, and a database may know what it held.</summary>
    internal static string DamagedVolume(string volume) =>
        $"Put this file back from a copy of the remote folder if there is one; else run `duplicati-db repair --check-volume {volume}`, which keeps all that can be read of it.";

    /// <summary>A volume does not open with the passphrase.</summary>
    internal static string UnopenedVolume(string volume) =>
        $"Give the passphrase the backup was made with; if other volumes open with it, run `duplicati-db repair --check-volume {volume}`, which takes what the volume held from elsewhere.";

    /// <summary>A backup is encrypted, and no passphrase was given.</summary>
    internal static string GivePassphrase() => "Give its passphrase with --passphrase-env or --passphrase-file.";

    /// <summary>A passphrase was given for a backup that is not encrypted.</summary>
    internal static string NoEncryption() => "Use --no-encryption.";

    /// <summary>Another passphrase or setting was given than an existing backup has.</summary>
    internal static string NewBackup() => "For a backup with other settings, choose a new remote folder and a new database.";

    /// <summary>A newer release has made a database.</summary>
    internal static string NewerDatabase() =>
        "Use the release that made it, or move the database file away and run `duplicati-db recreate`.";

    /// <summary>A volume is gone from the remote folder.</summary>
    internal static string MissingVolume() =>
        "Put it back from a copy of the remote folder if there is one; else run `duplicati-db repair`, which replaces what can be replaced without loss and says what is left.";

    /// <summary>A name in a database or an index volume is no plain file name.</summary>
    internal static string DamagedName() => "The index or database that holds it is damaged; run `duplicati-db repair`.";

    /// <summary>Volumes are missing, not whole, or unknown; nothing was done.</summary>
    internal static string DifferentFolder() =>
        "Run `duplicati-db repair`, which repairs what can be repaired without loss and says what is left.";

    /// <summary>A volume in the remote folder is unknown to the database and was left.</summary>
    internal static string UnknownVolume() =>
        "If the database is an older copy, run `duplicati-db recreate --overwrite`; else move this file out of the folder.";

    /// <summary>A volume was made with another block size or hash than the backup: whole as it is, and of no use here.</summary>
    internal static string OtherBackup() =>
        "It belongs to another backup. Move the files of that one to a folder of its own, and recreate the database with `--overwrite`.";

    /// <summary>The remote folder holds nothing that the database knows.</summary>
    internal static string OtherFolder() => "Give the address of this backup, and see that its folder is there.";

    /// <summary>Block volumes are missing.</summary>
    internal static string MissingBlockVolumes() =>
        "Put them back from a copy of the remote folder if there is one; else run `duplicati-db repair --rebuild-missing-dblock-files`, which looks for their blocks in the source files and in other volumes.";

    /// <summary>Folders of sources in which lost blocks were looked for are not there.</summary>
    internal static string AbsentSource(string path) =>
        $"Of the sources there is nothing in '{path}': if a disk is not mounted, mount it, and run the same command again before anything else. `duplicati-db check` says what is left to do.";

    /// <summary>Blocks were found nowhere while a source was not there.</summary>
    internal static string UnseenSource(string path) =>
        $"When they were looked for, there was nothing of the sources in '{path}': if a disk can be mounted, mount it, and check again before anything else.";

    /// <summary>Some blocks of a volume were found, and a part was not wanted.</summary>
    internal static string TakePart() =>
        "Run `duplicati-db repair --rebuild-missing-dblock-files` without `--disable-partial-dblock-recovery`, which keeps what was found.";

    /// <summary>Blocks were found nowhere.</summary>
    internal static string LostBlocks() =>
        "If there is a copy of the remote folder, put the volumes back that are missing or damaged, and recreate the database with `--overwrite`; else run `duplicati-db purge-broken-files`, which shows which files need them, asks, and takes those files out of the versions. All others can be restored.";

    /// <summary>All files of all versions need blocks that were found nowhere.</summary>
    internal static string NothingLeft() =>
        "Restore what can still be restored, and begin a new backup in another folder, with a new database.";

    /// <summary>No file list is left, and the database is none that a repair can make them of.</summary>
    internal static string NoLists() =>
        "Put them back from a copy of the remote folder if there is one; else restore what can still be restored, and begin a new backup in another folder, with a new database.";

    /// <summary>
    /// The database is of no use beside this remote folder: damaged, outdated, without versions, of some versions only, or not recreated to
    /// its end.
    /// </summary>
    internal static string RecreateDatabase() =>
        "Run `duplicati-db recreate --overwrite`, which keeps this database until a new one is complete, and beside that if it knows more.";

    /// <summary>Pages of the database are damaged.</summary>
    internal static string DamagedDatabase() =>
        "Run `duplicati-db repair --check-indexes`, which makes a new database and keeps this one beside it: indexes are built from their tables, what the remote folder has comes from there, and what only this file has from the pages that can be read.";

    /// <summary>A file has not even the first page of a database.</summary>
    internal static string NotADatabase() =>
        "Check the path; if it is the database of this backup, run `duplicati-db recreate --overwrite`, which makes a new one of the remote folder alone and keeps this file beside it.";

    /// <summary>A recreate was interrupted, and can be gone on with.</summary>
    internal static string ContinueRecreate() => "Run `duplicati-db recreate`; it goes on where it was.";

    /// <summary>There is a file where a recreate would make the database.</summary>
    internal static string DatabaseExists() =>
        "Move it away first, or run `duplicati-db recreate --overwrite`, which keeps it until the new one is complete.";

    /// <summary>There is no database at the path.</summary>
    internal static string NoDatabase() => "Check the path, or rebuild the database from the remote folder with `duplicati-db recreate`.";

    /// <summary>The database breaks rules that its rows have to keep.</summary>
    internal static string InconsistentDatabase() =>
        "Run `duplicati-db repair`, which makes anew what the remote folder lacks, and then says whether to recreate the database.";

    /// <summary>A version has no entries, and nobody knows that it had none.</summary>
    /// <param name="volume">Its file list.</param>
    /// <param name="time">Its time (UTC).</param>
    /// <param name="number">Its number, if it is not the only one of that time.</param>
    internal static string EmptyVersion(string volume, DateTime time, long? number = null) =>
        $"Put {volume} back from a copy of the remote folder if there is one, and recreate the database with `--overwrite`; else run `duplicati-db delete {(number is null ? $"--time {time:yyyy-MM-ddTHH:mm:ssZ}" : $"--version {number}")}`, which takes the version out of the backup; it asks first.";

    /// <summary>A version is of the end of the calendar, and none can follow.</summary>
    /// <param name="time">Its time (UTC).</param>
    internal static string LastTime(DateTime time) =>
        $"Run `duplicati-db delete --time {time:yyyy-MM-ddTHH:mm:ssZ}`, which takes it out of the backup; it asks first.";

    /// <summary>Versions or files are out of the backup, and the space of what only they needed was not freed to the end.</summary>
    internal static string FreeSpace() => "Run `duplicati-db compact`, which frees their space.";

    /// <summary>A disk did not give a part of the sources, and versions without it are partial.</summary>
    /// <param name="path">What it did not give.</param>
    internal static string UnreadSource(string path) =>
        $"Run the same command again once its disk gives it. If that will never be, add `--exclude {CommandLine.Quote(PathFilter.TextOf(Path.TrimEndingDirectorySeparator(path)))}` to it, and versions are complete without it; restore what an earlier one has of it before that is deleted.";

    /// <summary>The file list of a version is damaged, and that of another one is not.</summary>
    /// <param name="version">The other one.</param>
    internal static string OtherVersion(long version) => $"Add --version {version} to restore that one.";

    /// <summary>Something would be lost, and nobody has agreed to it.</summary>
    internal static string Confirm() => "Look at what would go, and add --yes if that is meant.";

    /// <summary>All versions were chosen.</summary>
    internal static string AllVersions() =>
        "Leave out the versions to keep, or make a new one first; --allow-full-removal permits it if it is meant.";
}
