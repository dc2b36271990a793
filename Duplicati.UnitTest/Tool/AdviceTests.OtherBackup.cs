// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using Duplicati.Engine.Common;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Tool.Following;

namespace Duplicati.UnitTest.Tool;

// Two backups in one folder that were made with different settings.
internal sealed partial class AdviceTests
{
    [Test, Property(CASE, nameof(Advice.OtherBackup))]
    public async Task Volumes_of_another_backup_are_left_as_they_are_and_moved_away(
        [Values("--blocksize 2kb", "--block-hash-algorithm SHA512", "--file-hash-algorithm SHA512")] string setting,
        [Values] bool isEncrypted
    )
    {
        using var own = await AdviceCase.CreateAsync(isEncrypted);
        // This list comes after the others, and so does not tell the settings.
        var names = await AddOtherAsync(own, setting, isEncrypted, "-2099");
        var before = FolderState.Of(own.Remote);
        var list = names.Single(x => x.Contains(".dlist.", StringComparison.Ordinal));

        await own.RecreateAsync(ExitCode.Found);
        var readable = await ReadableAsync(own);
        foreach (
            var command in new[]
            {
                "check",
                "check --deep",
                "verify",
                "test --samples all",
                "test --samples all --replace-faulty-index-files",
                "repair",
                "repair --check-volume all",
                "recreate --overwrite",
            }
        )
        {
            var run = await own.RunAsync(command.Split(' ')[0], command.Split(' ')[1..]);
            var text = $"{command}: {run.Error}{run.Output}";
            Assert.That(run.Code, Is.EqualTo(ExitCode.Found), text);
            Assert.That(run.Error + run.Output, Does.Contain(Advice.OtherBackup()).And.Contain(list), text);
            Assert.That(FollowedAdvice.Of(run), Is.Null, text);
            var told = command == "check --deep" ? run.Output : run.Error;
            if (command is not ("check" or "repair" or "recreate --overwrite"))
                Assert.That(names.Where(x => !told.Contains(x, StringComparison.Ordinal)), Is.Empty, text);
            Assert.That(FolderState.Of(own.Remote), Is.EqualTo(before), text);
        }

        // Without their list nothing tells of them but what is in them.
        File.Delete(Path.Combine(own.Remote, list));
        await own.RunAsync("recreate", "--overwrite");
        var compacted = await own.RunAsync("compact", "--threshold", "0", "--small-file-max-count", "0");
        Assert.That(
            names.Where(x => x != list && !File.Exists(Path.Combine(own.Remote, x))),
            Is.Empty,
            $"{compacted.Error}{compacted.Output}"
        );

        foreach (var name in names)
            File.Delete(Path.Combine(own.Remote, name));
        Assert.That((await own.RunAsync("recreate", "--overwrite")).Code, Is.Zero);
        Assert.That((await own.RunAsync("check", "--deep")).Code, Is.Zero);
        Assert.That(await own.ReadableAsync(), Is.EquivalentTo(readable));
        Assert.That((await own.BackUpAsync()).Code, Is.Zero);
    }

    [Test]
    public async Task No_option_deletes_volumes_of_another_backup(
        [Values("--blocksize 2kb", "--block-hash-algorithm SHA512", "--file-hash-algorithm SHA512")] string setting,
        [Values] bool isEncrypted
    )
    {
        using var own = await AdviceCase.CreateAsync(isEncrypted);
        // A later version than the database knows would be refused.
        var names = await AddOtherAsync(own, setting, isEncrypted, "-2001");
        var before = FolderState.Of(own.Remote);
        string[] all =
        [
            "--delete-unknown-files",
            "--delete-damaged",
            "--check-volume",
            "all",
            "--rebuild-missing-dblock-files",
            "--repair-ignore-outdated-database",
        ];

        foreach (var options in new string[][] { [], ["--delete-unknown-files"], [.. all, "--yes"] })
        {
            var run = await own.RunAsync("repair", options);
            var text = $"{string.Join(' ', options)}: {run.Error}{run.Output}";
            Assert.That(run.Code, Is.EqualTo(ExitCode.Found), text);
            Assert.That(run.Strings("unknownFiles"), Is.EquivalentTo(names), text);
            Assert.That(run.Error, Does.Contain(Advice.OtherBackup()), text);
            Assert.That(FolderState.Of(own.Remote), Is.EqualTo(before), text);
        }

        // What does not open may be of another one as well.
        var unread = $"duplicati-b{Guid.NewGuid():N}.dblock.zip";
        await File.WriteAllTextAsync(Path.Combine(own.Remote, unread), "what nobody knows");
        var asked = await own.RunAsync("repair", "--delete-unknown-files");
        Assert.That(asked.HelpId, Is.EqualTo("ConfirmationNeeded"), asked.Error);
        Assert.That(asked.Error, Does.Match($@"\n  {unread} \(17 bytes\), .*could not be opened"));

        foreach (var name in names.Append(unread))
            File.Delete(Path.Combine(own.Remote, name));
        Assert.That((await own.RunAsync("repair")).Code, Is.Zero);
        Assert.That((await own.RunAsync("check", "--deep")).Code, Is.Zero);
    }

    // Lists of one second have one name: these are of another year.
    private static async Task<List<string>> AddOtherAsync(AdviceCase own, string setting, bool isEncrypted, string year)
    {
        using var other = new ToolCase();
        for (var i = 0; i < 3; i++)
            SourceTree.Write(other.Source, $"another/{i}", 5_000, new Random(i));
        string[] access = isEncrypted ? ["--passphrase-file", other.Passphrase] : ["--no-encryption"];
        string[] words = [other.Remote, "--dbpath", other.Database, "--json", .. access];
        string[] settings = ["--blocksize", "1kb", "--dblock-size", "50kb", .. setting.Split(' ')];
        if (setting.StartsWith("--blocksize", StringComparison.Ordinal))
            settings = settings[2..];
        Assert.That((await ToolRun.RunAsync(["backup", .. words, other.Source, .. settings])).Code, Is.Zero);
        var theirs = Directory.GetFiles(other.Remote);
        foreach (var path in theirs)
            File.Copy(path, Path.Combine(own.Remote, Year().Replace(Path.GetFileName(path), year)));
        return [.. theirs.Select(x => Year().Replace(Path.GetFileName(x), year))];
    }

    // Of the versions behind the other one.
    private static async Task<HashSet<string>> ReadableAsync(AdviceCase backup)
    {
        var found = await backup.ReadableAsync(1);
        found.UnionWith(await backup.ReadableAsync(2));
        return found;
    }

    [GeneratedRegex("-2[0-9]{3}(?=[0-9]{4}T)")]
    private static partial Regex Year();
}
