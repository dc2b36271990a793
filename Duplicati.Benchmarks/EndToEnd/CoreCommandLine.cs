namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>What an operation works on.</summary>
/// <param name="Remote">The remote folder.</param>
/// <param name="Database">The database file.</param>
/// <param name="Folder">Source or target; empty where there is none.</param>
/// <param name="Versions">Versions to delete, such as <c>1</c> or <c>0-2</c>.</param>
internal sealed record Step(string Remote, string Database, string Folder = "", string Versions = "");

/// <summary>Operations in the words of Duplicati's command line.</summary>
internal static class CoreCommandLine
{
    /// <summary>Nobody is told of a run, nothing is updated, and settings of the user's own are left alone.</summary>
    public static Dictionary<string, string> Environment(string home) => new()
    {
        ["DUPLICATI_HOME"] = home,
        ["USAGEREPORTER_Duplicati_LEVEL"] = "none",
        ["AUTOUPDATER_Duplicati_POLICY"] = "Never",
    };

    /// <summary>The program and all its arguments.</summary>
    public static IReadOnlyList<string> Words(Peer peer, TimedOperation operation, Step step, EndToEndOptions options) =>
    [
        .. peer.Before?.Invoke(operation) ?? [],
        .. peer.Command,
        .. Command(operation, step),
        "--dbpath=" + step.Database,
        FormattableString.Invariant($"--blocksize={options.BlockSize}b"),
        FormattableString.Invariant($"--dblock-size={options.VolumeSize}b"),
        options.Passphrase is { } passphrase ? "--passphrase=" + passphrase : "--no-encryption=true",
        "--disable-module=console-password-input",
        .. peer.OptionsOf(operation),
    ];

    private static string[] Command(TimedOperation operation, Step step)
    {
        var remote = "file://" + step.Remote;
        return operation.Key switch
        {
            "backup" or "changed" or "unchanged" => ["backup", remote, step.Folder],
            "recreate" => ["repair", remote],
            "restore" => ["restore", remote, "*", "--restore-path=" + step.Folder],
            "list" => ["find", remote, "*", "--all-versions=true"],
            "test" => ["test", remote, "all", "--full-remote-verification=true"],
            "delete" => ["delete", remote, "--version=" + step.Versions],
            "compact" => ["compact", remote, "--threshold=1"],
            "delete-all" => ["delete", remote, "--version=" + step.Versions, "--allow-full-removal=true"],
            _ => throw new ArgumentException($"There is no operation {operation.Key}.", nameof(operation)),
        };
    }
}
