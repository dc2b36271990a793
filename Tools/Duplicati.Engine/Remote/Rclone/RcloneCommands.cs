// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using System.Text.Json.Serialization;

namespace Duplicati.Engine.Remote.Rclone;

/// <summary>What rclone is asked to do with one remote folder, a process each. Safe for concurrent use.</summary>
internal sealed class RcloneCommands(RcloneProgram program, RcloneAddress address)
{
    // Beyond this many files one listing of the folder is cheaper than a look at each.
    private const int FewFiles = 50;

    /// <summary>The folder.</summary>
    internal RcloneAddress Address => address;

    /// <summary>Lists all files of the folder.</summary>
    /// <exception cref="RemoteException">The folder does not exist, or rclone failed.</exception>
    internal async Task<List<RcloneEntry>> ListAsync(CancellationToken token)
    {
        var result = await RunAsync(["lsjson", "--files-only", "--no-mimetype", address.Target], token).ConfigureAwait(false);
        return RcloneEntry.Parse(address, result.Output);
    }

    /// <summary>Lists those of some files that exist, with those of the wanted hashes that the remote knows.</summary>
    /// <exception cref="RemoteException">rclone failed; a missing folder has no files.</exception>
    internal async Task<List<RcloneEntry>> FindAsync(
        IReadOnlyCollection<string> names,
        IReadOnlyCollection<string> hashes,
        CancellationToken token
    )
    {
        string[] command =
        [
            "lsjson",
            "--files-only",
            "--no-mimetype",
            .. hashes.SelectMany(x => new[] { "--hash-type", x }),
            .. Selection(names),
            address.Target,
        ];
        var result = await program.RunAsync(command, names, null, token).ConfigureAwait(false);
        if (result.IsSuccess)
            return RcloneEntry.Parse(address, result.Output);
        return result.IsFolderMissing ? [] : throw RcloneFailure.Of(address, result);
    }

    /// <summary>Copies files of the folder, those that exist, into a local folder of their own. May end before all are copied.</summary>
    internal Task<RcloneResult> FetchAsync(
        IReadOnlyCollection<string> names,
        string localFolder,
        Action<string>? copied,
        CancellationToken token
    ) => program.RunAsync(["copy", .. Selection(names), address.Target, localFolder], names, copied, token);

    /// <summary>Copies all files of a local folder, whatever is there under their names. May end before all are copied.</summary>
    internal Task<RcloneResult> StoreAsync(string localFolder, Action<string>? copied, CancellationToken token) =>
        program.RunAsync(["copy", "--ignore-times", "--no-traverse", localFolder, address.Target], null, copied, token);

    /// <summary>Deletes one file, which exists. Never by a filter: one that is read wrongly would delete all.</summary>
    internal Task<RcloneResult> DeleteAsync(string name, CancellationToken token) =>
        program.RunAsync(["deletefile", address.FileTarget(name)], null, null, token);

    /// <summary>Gives a file, which exists, another name, which no file has.</summary>
    internal Task MoveAsync(string from, string to, CancellationToken token) =>
        RunAsync(["moveto", address.FileTarget(from), address.FileTarget(to)], token);

    /// <summary>Makes the folder, if the remote has folders.</summary>
    internal Task CreateAsync(CancellationToken token) => RunAsync(["mkdir", address.Target], token);

    /// <summary>Ends if a file exists.</summary>
    /// <exception cref="RemoteFileMissingException">There is no such file.</exception>
    /// <exception cref="RemoteFolderMissingException">The folder does not exist.</exception>
    internal async Task RequireFileAsync(string name, CancellationToken token)
    {
        if ((await FindAsync([name], [], token).ConfigureAwait(false)).Exists(x => x.Name == name))
            return;
        await RunAsync(["lsjson", "--dirs-only", address.Target], token).ConfigureAwait(false);
        throw new RemoteFileMissingException(address.ToString(), name);
    }

    private static string[] Selection(IReadOnlyCollection<string> names) =>
        names.Count <= FewFiles ? ["--files-from-raw", "-", "--no-traverse"] : ["--files-from-raw", "-"];

    private async Task<RcloneResult> RunAsync(string[] command, CancellationToken token)
    {
        var result = await program.RunAsync(command, null, null, token).ConfigureAwait(false);
        return result.IsSuccess ? result : throw RcloneFailure.Of(address, result);
    }
}

/// <summary>One file of a list of <c>rclone lsjson</c>.</summary>
internal sealed record RcloneEntry(string Name, long Size, DateTime ModTime, bool IsDir, Dictionary<string, string>? Hashes)
{
    /// <summary>A hash by rclone's name of its function, hexadecimal; null if the remote does not know it.</summary>
    internal string? Hash(string function) => Hashes?.GetValueOrDefault(function) is { Length: > 0 } hash ? hash : null;

    /// <summary>The files of a list whose names are plain; others are no volumes, and nobody may be led elsewhere by them.</summary>
    /// <exception cref="RcloneException">It is no list.</exception>
    internal static List<RcloneEntry> Parse(RcloneAddress address, ReadOnlyMemory<byte> output)
    {
        try
        {
            var entries = JsonSerializer.Deserialize(output.Span, RcloneJson.Default.ListRcloneEntry) ?? [];
            return [.. entries.OfType<RcloneEntry>().Where(x => !x.IsDir && x.Name is not null && IsUsable(x.Name))];
        }
        catch (JsonException ex)
        {
            throw new RcloneException(
                $"rclone's list of '{address}' cannot be read ({ex.Message}). Check the version with 'rclone version'; 1.60 or newer is needed.",
                "RcloneFailed",
                ex
            );
        }
    }

    /// <summary>Whether a name is plain and fits on a line of its own.</summary>
    internal static bool IsUsable(string name) => RemoteName.IsPlain(name) && !name.Any(char.IsControl);
}

/// <summary>Reads lists of rclone with code that the compiler makes, so that no reflection is needed.</summary>
[JsonSourceGenerationOptions(PropertyNameCaseInsensitive = true)]
[JsonSerializable(typeof(List<RcloneEntry?>))]
internal sealed partial class RcloneJson : JsonSerializerContext;
