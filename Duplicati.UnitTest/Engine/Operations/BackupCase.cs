// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>A source, a remote folder and a database in a folder of their own, with checks that hold after every operation.</summary>
internal sealed class BackupCase : IDisposable
{
    private readonly TestFolder m_folder = new();
    private int m_serial;

    internal BackupCase(Func<EngineOptions, EngineOptions>? change = null)
    {
        var options = new EngineOptions
        {
            Remote = m_folder.File("remote"),
            DatabasePath = m_folder.File("backup.sqlite"),
            BlockSize = 1024,
            VolumeSize = 50 * 1024,
            Parallelism = 2,
        };
        Options = change is null ? options : change(options);
    }

    /// <summary>Makes one whose source is the tree of a seed, and backs that up.</summary>
    internal static async Task<BackupCase> MadeAsync(int seed = 1, Func<EngineOptions, EngineOptions>? change = null)
    {
        var backup = new BackupCase(change);
        SourceTree.Make(backup.Source, new Random(seed));
        await backup.BackUpAsync();
        return backup;
    }

    internal EngineOptions Options { get; set; }

    internal WarningList Warnings { get; } = new();

    internal string Source => m_folder.File("source");

    internal string Remote => m_folder.File("remote");

    internal string File(string name) => m_folder.File(name);

    /// <summary>Volumes of a type (dblock, dindex, dlist) in the remote folder, those of blocks by size.</summary>
    internal string[] Volumes(string type) => VolumeFiles.Of(Remote, type);

    internal long RemoteBytes() => new DirectoryInfo(Remote).GetFiles().Sum(x => x.Length);

    internal Task<BackupReport> BackUpAsync() => new BackupOperation(Options, Warnings).RunAsync([Source], default);

    /// <summary>The same after a file was written, with the random content of a seed.</summary>
    internal Task<BackupReport> BackUpAsync(string name, int size, int seed)
    {
        SourceTree.Write(Source, name, size, new Random(seed));
        return BackUpAsync();
    }

    internal Task<RestoreReport> RestoreAsync(string target, long version = 0) =>
        new RestoreOperation(Options, Warnings).RunAsync(target, version, null, default);

    internal Task<RestoreReport> RestoreAsync(string target, RestoreChoices choices, WarningList? progress = null) =>
        new RestoreOperation(Options, progress ?? Warnings).RunAsync(target, choices, default);

    /// <summary>Restores without the database.</summary>
    internal Task<RestoreReport> RestoreDirectlyAsync(string target, RestoreChoices? choices = null, WarningList? progress = null) =>
        new DirectRestoreOperation(Options, progress ?? Warnings).RunAsync(target, choices ?? new RestoreChoices(), default);

    internal Task<RecreateReport> RecreateAsync(string database) =>
        new RecreateOperation(Options with { DatabasePath = database }, Warnings).RunAsync(default);

    /// <summary>Recreates the database in the place of the present one.</summary>
    internal Task<RecreateReport> RecreateInPlaceAsync() => new RecreateOperation(Options, Warnings) { Overwrite = true }.RunAsync(default);

    /// <summary>Goes on with a database made anew from the remote folder, beside the present one.</summary>
    internal Task<RecreateReport> UseRecreatedAsync()
    {
        Options = Options with { DatabasePath = File("recreated.sqlite") };
        return RecreateAsync(Options.DatabasePath);
    }

    internal Task<RepairReport> RepairAsync(RepairChoices? choices = null) =>
        new RepairOperation(Options, choices ?? new RepairChoices(), Warnings).RunAsync(default);

    internal Task<DeleteReport> DeleteAsync(params long[] versions) => DeleteAsync(new DeleteChoices { Versions = versions });

    internal Task<DeleteReport> DeleteAsync(DeleteChoices choices) => new DeleteOperation(Options, Warnings).RunAsync(choices, default);

    internal Task<CompactReport> CompactAsync() => new CompactOperation(Options, Warnings).RunAsync(default);

    /// <summary>Purges versions, or all of them, of the files of a pattern.</summary>
    internal Task<PurgeReport> PurgeAsync(string pattern, params long[] versions) =>
        new PurgeOperation(Options, Warnings).RunAsync([pattern], versions, default);

    internal Task<PurgeReport> PurgeBrokenAsync(bool dryRun = false) =>
        new PurgeBrokenFilesOperation(Options with { DryRun = dryRun }, Warnings).RunAsync(default);

    internal Task<IReadOnlyList<BrokenFilesReport>> ListBrokenAsync() => new ListBrokenFilesOperation(Options, Warnings).RunAsync(default);

    /// <summary>Tests all volumes.</summary>
    internal Task<TestReport> TestAsync() => new TestOperation(Options, Warnings).RunAsync(long.MaxValue, default);

    /// <summary>Verifies without a word: what is found is in the report.</summary>
    internal Task<VerifyReport> VerifyAsync(bool quick = false) =>
        new VerifyOperation(Options, SilentProgress.Instance).RunAsync(quick, default);

    internal Task<CheckReport> CheckAsync(CheckDepth depth) => new CheckOperation(Options, [], Warnings).RunAsync(depth, default);

    /// <summary>Runs an operation, and stops it at its n-th message that fits a pattern, and at each later one.</summary>
    /// <returns>False if it came to its end.</returns>
    internal async Task<bool> StopAsync(Func<Task> operation, string pattern, int nth = 1)
    {
        var messages = 0;
        Warnings.OnMessage = text =>
        {
            if (Regex.IsMatch(text, pattern) && Interlocked.Increment(ref messages) >= nth)
                throw new OperationCanceledException("The test stops it here.");
        };
        try
        {
            await operation();
            return false;
        }
        catch (OperationCanceledException)
        {
            return true;
        }
        finally
        {
            Warnings.OnMessage = null;
        }
    }

    /// <summary>An operation is refused for this reason.</summary>
    internal static UserInformationException Refused(string helpId, Func<Task> operation)
    {
        var refused = Assert.ThrowsAsync<UserInformationException>(() => operation())!;
        Assert.That(refused.HelpID, Is.EqualTo(helpId), refused.Message);
        return refused;
    }

    /// <summary>What is in the database.</summary>
    internal DatabaseDump Dump() => DatabaseDump.Load(Options.DatabasePath);

    /// <summary>Whether each version is complete, oldest first.</summary>
    internal IEnumerable<long?> IsFull() => Dump().Filesets.Select(x => x.IsFull);

    /// <summary>Runs a statement on the database.</summary>
    internal void Sql(string sql) => Databases.Execute(Options.DatabasePath, sql);

    /// <summary>Rows of a query on the database, columns joined by a bar, sorted.</summary>
    internal string[] Rows(string sql) => SampleDatabase.Rows(Options.DatabasePath, sql);

    /// <summary>Restores a version into a new folder and describes it.</summary>
    internal async Task<string[]> RestoredAsync(long version)
    {
        var target = m_folder.File($"restored-{++m_serial}");
        var report = await RestoreAsync(target, version);
        Assert.That(report.Failed, Is.Empty);
        var described = SourceTree.Describe(target);
        Directory.Delete(target, recursive: true);
        return described;
    }

    /// <summary>What each of the newest versions holds, as one text.</summary>
    internal async Task<string[]> RestoredVersionsAsync(int count)
    {
        var texts = new string[count];
        for (var version = 0; version < count; version++)
            texts[version] = string.Join('\n', await RestoredAsync(version));
        return texts;
    }

    /// <summary>The database and the remote folder are sound: integrity, consistency, every volume.</summary>
    internal async Task AssertSoundAsync(string when)
    {
        Databases.AssertSound(Options.DatabasePath, when);
        Assert.That((await VerifyAsync()).Problems, Is.Empty, when);
    }

    /// <summary>As above, and a database made anew from the remote folder equals the present one.</summary>
    internal async Task AssertRecreateEqualsAsync(string when)
    {
        await AssertSoundAsync(when);
        var database = m_folder.File($"recreated-{++m_serial}.sqlite");
        var report = await RecreateAsync(database);
        Assert.That(report.Problems, Is.Zero, when);
        Databases.AssertEqual(Options.DatabasePath, database, when);
    }

    public void Dispose() => m_folder.Dispose();
}

/// <summary>Keeps the warnings of operations. Thread-safe.</summary>
internal sealed class WarningList : IEngineProgress
{
    private readonly Lock m_lock = new();
    private readonly Lock m_advancing = new();
    private readonly List<string> m_texts = [];

    /// <summary>One that does something whenever a restore has written what a volume holds.</summary>
    internal static WarningList AtVolumes(Action action) =>
        new()
        {
            OnAdvance = phase =>
            {
                if (phase == "bytes")
                    action();
            },
        };

    internal IReadOnlyList<string> Texts
    {
        get
        {
            lock (m_lock)
                return [.. m_texts];
        }
    }

    /// <summary>Told of each message, on the thread of the operation.</summary>
    internal Action<string>? OnMessage { get; set; }

    /// <summary>Told of each step of a phase, on a thread of the operation, one at a time.</summary>
    internal Action<string>? OnAdvance { get; set; }

    /// <summary>Told of each warning, on the thread of the operation.</summary>
    internal Action<string>? OnWarning { get; set; }

    public void Message(string text) => OnMessage?.Invoke(text);

    public void Warning(string text)
    {
        lock (m_lock)
            m_texts.Add(text);
        OnWarning?.Invoke(text);
    }

    public void Advance(string phase, long done, long total)
    {
        lock (m_advancing)
            OnAdvance?.Invoke(phase);
    }
}

/// <summary>A backup for each test, which makes it, and a remote folder that nothing stands before afterwards.</summary>
internal abstract class BackupTestBase
{
    private protected BackupCase Backup { get; set; } = null!;

    [TearDown]
    public void RemoveBackup()
    {
        RemoteFolder.Through.Value = null;
        Backup.Dispose();
    }
}
