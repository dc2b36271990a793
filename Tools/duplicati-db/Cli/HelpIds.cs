// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Tool.Cli;

/// <summary>
/// What each help id means that a failure can end with: what the state is, and what helps. The message of the failure names files and the
/// command.
/// </summary>
internal static class HelpIds
{
    /// <summary>Ends the ids of failures that nobody expected: they are named after their kind.</summary>
    internal const string UnexpectedSuffix = "Exception";

    /// <summary>Of all of those.</summary>
    internal const string Unexpected = """
        An unexpected failure of this kind. What was committed to the database before it stays, and the next operation settles what was left in the remote
        folder. Run "duplicati-db check" on the backup; if it happens again, "duplicati-db bug-report" makes a file without names to send along with the text.
        """;

    /// <summary>The text of each id.</summary>
    internal static readonly IReadOnlyDictionary<string, string> Topics = new Dictionary<string, string>(StringComparer.Ordinal)
    {
        ["AccessDenied"] = "A file or folder may not be read or written by this user. Check the permissions of the file and of its folder.",
        ["AllFilesetsBroken"] =
            "Every file of every version has lost something, so that a purge would leave nothing. Look for copies of the missing "
            + "volumes first.",
        ["AllSourcesAreExcluded"] = "Nothing is left to back up: --exclude and the backup's own files cover all of the sources.",
        ["BlockNotInDatabase"] =
            "The database knows no block of that hash, neither a live nor a deleted one. Hashes are in Base64, as \"duplicati-db find --path\" shows them.",
        ["BlocksizeChangeUnsupported"] =
            "The block size of a backup cannot change. Leave --blocksize out; for another one choose a new remote folder and a new database.",
        ["Cancelled"] = "The command was interrupted. What was committed stays, and the same command goes on or begins again.",
        ["CannotDeleteAllVersions"] =
            "Nothing would be left of the backup. Leave out the versions to keep; --allow-full-removal permits it if it is meant.",
        ["CannotListOnDatabaseInRepair"] =
            "The database was not recreated to its end, so that nobody can tell what is broken. It has to be recreated first.",
        ["CannotListOnPartialDatabase"] =
            "The database was recreated for some versions only, so that nobody can tell what is broken. It has to be recreated whole first.",
        ["CannotPurgeWithNoRemoteVolumes"] =
            "None of the volumes that the database knows is in the remote folder: it is another one, or it is not there. Check the "
            + "address.",
        ["CannotPurgeWithOrphans"] = "The database holds files of no version, which a purge would not find. A repair takes them out.",
        ["ConfirmationNeeded"] =
            "Something would be lost for good, and there is no terminal to confirm it. Look at what would go with --dry-run, and add --yes if "
            + "that is meant.",
        ["ContentNotInDatabase"] =
            "The database knows no file of that hash. It is the hash of the whole file, in Base64, as \"duplicati-db find --path\" shows it.",
        ["CorruptVolume"] =
            "A volume is damaged. Put it back from a copy of the remote folder, or let a repair keep what can be read of it.",
        ["DatabaseDoesNotExist"] =
            "There is no database at the path of --dbpath. Check the path, or rebuild it with \"duplicati-db recreate\".",
        ["DatabaseError"] =
            "SQLite reported an error that has no remedy of its own. \"duplicati-db check\" tells whether the file is damaged.",
        ["DatabaseFormatError"] =
            "What the path names is no database of a backup: another file, an empty one, a folder or a pipe; or its first page is damaged. Check "
            + "the path; a damaged or empty one is recreated.",
        ["DatabaseInconsistency"] =
            "Rows of the database contradict each other. A repair puts right what it can; otherwise the database is recreated.",
        ["DatabaseIsBeingFilled"] = "A running operation fills the database, and completes its indexes at the end. Wait for it.",
        ["DatabaseIsBrokenConsiderPurge"] =
            "The recreate has ended, and some blocks are in no volume. Other files are whole; \"duplicati-db list-broken-files\" "
            + "tells which are not.",
        ["DatabaseIsBusy"] = "Another program is writing to the database. Run the command again when that has finished.",
        ["DatabaseIsDamaged"] =
            "Pages of the database are damaged, or hold what no database has; or a setting, or its version, is missing or contradicts what "
            + "is there. What is backed up lies in the remote folder: recreate the database.",
        ["DatabaseIsInRepairState"] =
            "The database was not recreated to its end. \"duplicati-db recreate --overwrite\" makes a new one, and keeps this one "
            + "until then.",
        ["DatabaseIsNotAccessible"] =
            "The database cannot be opened or written. Check the path, the permissions, and whether the disk is there.",
        ["DatabaseIsPartiallyRecreated"] =
            "The database was recreated for some versions only, and a backup needs all of them. It has to be recreated whole.",
        ["DatabaseIsUnfinished"] = "A recreate of the database was interrupted, or is at work. Run it again, and it goes on where it was.",
        ["DatabaseLacksIndexes"] =
            "Indexes of the database could not be built, because rows contradict each other, a disk is full, or somebody is " + "writing.",
        ["DatabaseOpenFailed"] = "The database could not be opened. Check the path and the permissions.",
        ["DatabaseRepairInProgress"] =
            "The database was not recreated to its end. \"duplicati-db recreate --overwrite\" makes a new one, and keeps this one "
            + "until then.",
        ["DatabaseUpgradeFailed"] =
            "The upgrade was rolled back, or its safety copy is beside the database. The message says what was in the way.",
        ["DatabaseVersionNotSupportedError"] =
            "The database is of a newer release than this program. Use that release, or recreate the database.",
        ["DifferentFolder"] =
            "The database lacks the version of a file list, and beside it no version can be rewritten. A repair puts that right.",
        ["DiskIsFull"] =
            "There was no space left: on the disk of the database, of the remote folder, of what is restored, or of temporary "
            + "files (TMPDIR). Nothing of the last step was kept; make room, and run the same command again.",
        ["DuplicateBlocklistHashesRepairFailed"] = "A repair could not remove duplicate lists of blocks. Recreate the database.",
        ["DuplicateFilesRepairFailed"] = "A repair could not take out files that stand twice. Recreate the database.",
        ["DuplicateHashesRepairFailed"] = "A repair could not take out metadata that stand twice. Recreate the database.",
        ["EmptyFilterPurgeNotAllowed"] = "A purge needs at least one path or pattern of what is to go.",
        ["EmptyRemoteLocation"] = "The remote folder holds no volumes. Check the address.",
        ["EmptyRemoteLocationWithPrefix"] =
            "The remote folder holds volumes, but none with this prefix. Give the one they have with --prefix.",
        ["EmptyRestoreOperation"] = "Nothing in the version fits --include and --exclude. \"duplicati-db list\" shows what there is.",
        ["ExtraRemoteFiles"] =
            "The remote folder holds volumes that the database does not know: it is an older copy, or another program writes there.",
        ["FailedToLocateEmptyMetadataBlockset"] =
            "Metadata have no content, and none are left that could stand in for them. Recreate the database from the remote folder.",
        ["FileExists"] = "A file of that name is there already and is never overwritten. Move it elsewhere, and try again.",
        ["FileIsReadOnly"] = "The file system cannot be written to. Choose another folder.",
        ["FileMissing"] = "A file is not there: check the path, or put a volume back from a copy of the remote folder.",
        ["FileNotReadable"] =
            "A volume is there, and cannot be fetched, while its folder answers: its permissions, or the remote, keep it back. Make it "
            + "readable, and run the same command again.",
        ["FilesetDifferences"] = "A version has other entries than it should have. A repair tells more; otherwise recreate the database.",
        ["FilterTypeNotSupported"] = "A search takes plain texts and the wildcards * and ?, no regular expressions.",
        ["FolderMissing"] = "The folder does not exist, or its disk is not there. Check the address, or make the folder.",
        ["FolderNotInVersion"] = "The version has no such folder. List its parent, or another version.",
        ["HashChangeUnsupported"] =
            "The hash functions of a backup cannot change. Leave the option out; for others choose a new remote folder and a new database.",
        ["InvalidAesOptions"] =
            "--aes-version takes 2 or 3, --aes-v3-iterations needs version 3; the environment variables of these names are "
            + "DUPLICATI__AES_VERSION and DUPLICATI__AES_V3_ITERATIONS.",
        ["InvalidBlocksize"] = "A block size must be between 1kb and 1gb.",
        ["InvalidCompression"] =
            "New volumes cannot be packed so; the message lists what can be written. Volumes of other methods are still read.",
        ["InvalidHashAlgorithm"] = "The hash function is not known; the message lists those that are.",
        ["InvalidKeepTime"] = "--keep-time needs a time in the past, such as 3M for three months ago.",
        ["InvalidManifest"] =
            "A volume was made with other settings than were given or recorded. The folder may hold two backups; leave --blocksize "
            + "out.",
        ["InvalidPassphraseOptions"] = "Give one of --passphrase-env, --passphrase-file and --no-encryption.",
        ["InvalidPrefix"] =
            "No volume can have that prefix: it holds a dash or what no file name may hold, is too long, or is that of files being "
            + "written. Choose another one; nothing was made with this one.",
        ["InvalidArgument"] = "A value on the command line has not the form that it must have. The help of the command shows it.",
        ["InvalidRemoteAddress"] = "A remote folder is a path, a file:// address, or rclone:NAME:PATH.",
        ["InvalidRemoteName"] =
            "A database or an index volume holds a name that is none of a file in the remote folder: it is damaged. A repair helps.",
        ["InvalidVersion"] =
            "There is no such version, or it was given in two ways. Version 0 is the newest; \"duplicati-db list\" shows all.",
        ["InvalidVolumeSize"] = "A volume must have 10kb at least, and more than a block.",
        ["LocalDatabaseHasNoFilesetTimes"] = "The database knows no version, but the remote folder holds some. Recreate the database.",
        ["LockIsNotAccessible"] =
            "Operations on one database keep apart by a file beside it, with the ending .lock. It is somebody else's, and may not "
            + "even be read. If none of his operations runs, remove it.",
        ["LogFileNotAccessible"] =
            "The file of --log-file cannot be written, or is there and is no log of this program. Nothing was done; choose another file.",
        ["LossesHaveChanged"] = "More or something else would be lost than the question showed. Nothing was changed; look again.",
        ["MetadataRepairFailed"] = "A repair could not replace metadata without content. Recreate the database.",
        ["MissingBlocklistHashesRepairFailed"] = "A repair could not find lists of blocks again. Recreate the database.",
        ["MissingDblockFiles"] =
            "Block volumes are gone from the remote folder. Put them back from a copy, or let a repair with "
            + "--rebuild-missing-dblock-files look for their blocks elsewhere.",
        ["MissingPassphrase"] =
            "The backup is encrypted. Give its passphrase with --passphrase-env or --passphrase-file; see \"duplicati-db help "
            + "passphrases\".",
        ["MissingRemoteFiles"] =
            "Volumes are gone from the remote folder, or have another size. A repair repairs what can be repaired without loss, "
            + "and says what is left.",
        ["NeededVolumesAreGivenUp"] =
            "The database marks volumes as deleting, deleted or not uploaded, but complete versions need them. A repair looks for them, "
            + "and takes back what is there.",
        ["NeedTwoBackupsToStartDiff"] = "There is nothing to compare: the backup has fewer than two versions.",
        ["NoBackupAtDate"] = "The backup has no versions yet.",
        ["NoFilesetFoundForTimeOrVersion"] = "The backup has no versions yet.",
        ["NoFreeFilelistName"] = "A file list is named after a second, and none is free near the version. Delete a version beside it.",
        ["NoSuchTopic"] = "\"duplicati-db help\" lists commands and topics; every help id is one as well.",
        ["NoTemporaryFolder"] =
            "The folder for temporary files does not exist, or may not be written to. Make it, or set the environment variable TMPDIR (on "
            + "Windows TMP) to another one.",
        ["NotConfirmed"] = "The question was not answered with yes, and nothing was changed.",
        ["OutputFileExists"] = "The file is there already and is not overwritten. Name another one.",
        ["OutputNotWritten"] =
            "Standard output is full or closed. What the command does has been done all the same; look with \"duplicati-db list\" "
            + "before one that changes something is run again.",
        ["PassphraseChangeUnsupported"] =
            "A backup keeps its encryption and its passphrase. Give the passphrase it was made with, or --no-encryption if it has "
            + "none; for another one choose a new remote folder and a new database.",
        ["PathNotInDatabase"] = "No version that the database knows has that path. Give it whole, as \"duplicati-db search\" shows it.",
        ["PrefixChangeUnsupported"] =
            "The volumes of a backup keep their prefix. Leave --prefix out, or give the one they have; for another one choose a new database.",
        ["PurgeNotAllowedOnIncompleteDatabase"] =
            "The database was not recreated to its end, and a purge would miss versions. It has to be recreated first.",
        ["PurgeNotAllowedOnPartialDatabase"] =
            "The database was recreated for some versions only, and a purge would miss the others. It has to be recreated whole first.",
        ["PurgeWouldRemoveEntireFileset"] = "The purge would take all files of a version. Delete the version instead.",
        ["RC4DecryptionFailed"] = "The server database of an old release could not be decrypted. Check its password.",
        ["RcloneAccessDenied"] =
            "The remote refused access. Check it with \"rclone config\", or renew it with \"rclone config reconnect NAME:\".",
        ["RcloneFailed"] = "rclone failed for a reason of its own, which the message quotes.",
        ["RcloneMissing"] = "The program rclone cannot be started. Install it, or name it with --rclone.",
        ["RcloneNetwork"] = "The remote cannot be reached. Check the network, and try again.",
        ["RcloneNotConfigured"] = "rclone knows no remote of that name. \"rclone listremotes\" shows those it knows.",
        ["RcloneTransfer"] = "A file did not come through whole. Try again; if it stays so, the remote or rclone is at fault.",
        ["RecordingFileExists"] =
            "The file of --metrics or --trace is there, and none of those options has written it. Choose another one; nothing was "
            + "done.",
        ["RecordingFileNotAccessible"] = "The file of --metrics or --trace cannot be written. Choose another one; nothing was done.",
        ["RecordingFileNotComplete"] = "The command has ended as the message says, but the file of --metrics or --trace is not complete.",
        ["RecreateTargetDatabaseExists"] =
            "There is a database at the path. Move it away, or add --overwrite, which keeps it until the new one is complete.",
        ["RemoteFilesNewerThanLocalDatabase"] =
            "The remote folder holds versions that are newer than the database: it is an older copy. It has to be recreated.",
        ["RemoteFolderEmptyWithPrefix"] =
            "None of the volumes that the database knows is in the remote folder. It is another one, or its disk is not there: "
            + "nothing was done.",
        ["RepairIsNotPossible"] = "Something could not be repaired; all else has been. The message says what is left, and what to do.",
        ["ReplacementMetadataNotUsable"] =
            "The content that was to stand in for lost metadata is not in the database. Nothing was replaced.",
        ["RestoreTargetInTheWay"] = "A file is where the folder of --target is to be. Move it away, or choose another folder.",
        ["RestoreTargetIsRemote"] = "The folder of --target is the remote folder. Choose another one, which may be inside.",
        ["SchemaHasNoLabels"] =
            "Labels of versions need schema 20. \"duplicati-db upgrade FILE --to 20\" upgrades a database to it; the Duplicati that uses it must support that schema.",
        ["SeveralVersionsOfTime"] =
            "More than one version is of the time that was given. \"duplicati-db list\" shows their numbers for --version.",
        ["SourceIsMissing"] = "A source does not exist. Check the path and whether its disk is there, or leave it out.",
        ["UnsafePath"] = "A path of the backup leads out of the folder that is restored to, or through a link, and is left out.",
        ["UnsupportedVolume"] = "A volume has a compression or encryption that this program does not know. Use Duplicati itself.",
        ["VersionsAreNotKnown"] =
            "The database knows nothing of a version, as its file list cannot be read, and a compact would take what only that version needs for "
            + "waste. Put the list back from a copy and recreate the database, or delete that version.",
        ["VersionsHaveChanged"] =
            "Another operation has changed the versions since they were shown, and others would be meant now. Nothing was changed; "
            + "look again.",
        ["VolumeChanged"] =
            "A volume is not the one that was uploaded: its size or hash is another. Put it back from a copy, or let a repair keep "
            + "what can be read of it.",
        ["VolumeNotInDatabase"] =
            "The database knows no volume of that name. \"duplicati-db volumes\" lists those it knows; an older database is recreated.",
        ["WrongPassphrase"] =
            "The passphrase does not open the volumes, and nothing was uploaded or deleted. If it opens others, the one is damaged; for a "
            + "backup with another passphrase choose a new remote folder and a new database.",
    };
}
