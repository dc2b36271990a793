// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

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

    internal EngineOptions Options { get; set; }

    internal WarningList Warnings { get; } = new();

    internal string Source => m_folder.File("source");

    internal string Remote => m_folder.File("remote");

    internal string File(string name) => m_folder.File(name);

    /// <summary>Volumes of a type (dblock, dindex, dlist) in the remote folder, those of blocks by size.</summary>
    internal string[] Volumes(string type) => VolumeFiles.Of(Remote, type);

    internal long RemoteBytes() => new DirectoryInfo(Remote).GetFiles().Sum(x => x.Length);

    internal Task<BackupReport> BackUpAsync() => new BackupOperation(Options, Warnings).RunAsync([Source], default);

    internal Task<RestoreReport> RestoreAsync(string target, long version = 0) =>
        new RestoreOperation(Options, Warnings).RunAsync(target, version, null, default);

    internal Task<RecreateReport> RecreateAsync(string database) =>
        new RecreateOperation(Options with { DatabasePath = database }, Warnings).RunAsync(default);

    internal Task<RepairReport> RepairAsync(RepairChoices? choices = null) =>
        new RepairOperation(Options, choices ?? new RepairChoices(), Warnings).RunAsync(default);

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
        var report = await new VerifyOperation(Options, SilentProgress.Instance).RunAsync(false, default);
        Assert.That(report.Problems, Is.Empty, when);
    }

    /// <summary>A database made anew from the remote folder equals the present one.</summary>
    internal async Task AssertRecreateEqualsAsync(string when)
    {
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

    /// <summary>Told of each step of a phase, on the thread of the operation.</summary>
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

    public void Advance(string phase, long done, long total) => OnAdvance?.Invoke(phase);
}
