namespace Duplicati.Benchmarks.Soak;

/// <summary>One long test that is run in rounds, each with a seed of its own, until its figure is reached.</summary>
/// <param name="Name">What it is called on the command line: the number of the row in docs/reliability.md, and a word where a row has several.</param>
/// <param name="Promise">What is held.</param>
/// <param name="Test">The end of the test's full name: class and method.</param>
/// <param name="Figure">How many make the long run complete.</param>
/// <param name="Unit">Of what.</param>
/// <param name="Round">How many a round has.</param>
internal sealed record SoakRow(string Name, string Promise, string Test, long Figure, string Unit, long Round)
{
    /// <summary>All of them. A test holds the names of the tests to those that are there.</summary>
    public static IReadOnlyList<SoakRow> All { get; } =
    [
        new("1", "no commit that returned is lost by a kill", "AcknowledgedCommitTests.Every_acknowledged_commit_is_there_after_a_kill", 5000, "kills", 100),
        new("1-backup", "a killed backup is settled by the next one", "KillTests.A_killed_backup_is_settled_by_the_next_one", 500, "kills", 40),
        new("1-continue", "a killed backup is continued", "InterruptedBackupTests.A_killed_backup_is_continued", 300, "rounds of kills", 20),
        new("1-queue", "no row that a queue of commits acknowledged is lost by a kill", "CommitQueueKillTests.Every_acknowledged_row_is_there_after_a_kill", 1000, "kills", 50),
        new("2", "a killed recreate goes on where it was", "KilledRecreateTests.A_killed_recreate_goes_on_and_equals_the_undisturbed_one", 500, "kills", 50),
        new("2-replace", "a killed recreate leaves the old database until the new one is complete", "KilledRecreateTests.A_killed_replacement_leaves_the_old_database_until_the_new_one_is_complete", 300, "kills", 30),
        new("2-again", "a killed recreate leaves what can be opened and made again", "KillTests.A_killed_recreate_leaves_what_opens_with_all_indexes_and_can_be_made_again", 500, "kills", 25),
        new("3", "an upgrade that is killed at any statement loses no row", "KilledUpgradeTests.Upgrade_killed_at_every_statement", 1, "times all statements", 1),
        new("7", "a failing statement is reported and undone, and the object goes on", "OperationFaultTests.Every_statement_fails_with_every_error", 4, "errors at every statement", 1),
        new("8", "a verify of damaged pages is silent about nothing", "CorruptPageTests.A_verify_tells_of_damage_or_of_nothing_that_could_be_known", 10_000, "damaged copies", 500),
        new("8-list", "a listing of damaged pages fails with a typed error", "CorruptPageTests.A_listing_fails_only_with_an_error_that_names_the_file", 5000, "damaged copies", 500),
        new("14", "the layer is equal to plain statements", "InterleavedPlanTests.Long_run_of_backups_with_anything_in_between", 100_000, "steps", 4000),
        new("14-rebuild", "rebuilds are equal to plain statements", "RecreateEqualsPlainTests.Long_run_of_interrupted_rebuilds", 2000, "rebuilds", 100),
        new("16", "a malformed volume is a typed error in bounded memory", "HostileVolumesTests.Long_run_of_changed_volumes", 50_000, "volumes", 5000),
        new("16-encrypted", "an altered encrypted volume is a typed error", "HostileVolumesTests.Long_run_of_changed_encrypted_volumes", 10_000, "volumes", 2000),
        new("21", "no operation takes more steps than in proportion to what it looks at", "GrowthTests.Long_run_of_versions", 1000, "versions", 1000),
        new("22", "the preset small stays within 256 MiB", "MemoryCapTests.Long_run_of_operations_in_little_memory", 5_000_000, "blocks", 5_000_000),
        new("23", "operations give back what they take", "LeakTests.Long_run_of_operations_that_give_back_what_they_take", 1000, "times each operation", 100),
        new("24", "random operations make no error and nothing grows", "SoakTests.Random_operations_make_no_error_and_nothing_grows", 7200, "seconds", 600),
    ];

    /// <summary>The row of a name; null if there is none.</summary>
    public static SoakRow? Find(string name) => All.FirstOrDefault(row => row.Name == name);
}
