// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using BenchmarkDotNet.Attributes;
using Duplicati.Benchmarks.Processes;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Micro;

/// <summary>
/// A benchmark on a database file: each repetition gets a fresh file, or a fresh copy of a template, and must give the right
/// answer, so that a fast wrong way fails instead of winning.
/// </summary>
public abstract class DatabaseBenchmark
{
    private TempFolder? m_folder;
    private SqliteConnection? m_connection;
    private StatementCache? m_statements;
    private long? m_writtenBefore;
    private long? m_expected;

    /// <summary>Statements on the open database.</summary>
    protected StatementCache Statements => m_statements!;

    /// <summary>The database file.</summary>
    protected string DatabasePath => Path.Combine(m_folder!, "local.sqlite");

    /// <summary>What the benchmark found out, in one number; set by the benchmark method.</summary>
    protected long Answer { get; set; }

    /// <summary>What <see cref="Answer"/> must be, in every repetition.</summary>
    protected abstract long ExpectedAnswer { get; }

    /// <summary>Rows that one operation handles.</summary>
    protected abstract int Rows { get; }

    /// <summary>How the database is opened.</summary>
    private protected virtual ConnectionOptions Options => ConnectionOptions.Default;

    /// <summary>A preset with other values of some pragmas, which refreshes no statistics.</summary>
    internal static ConnectionOptions Of(string preset, params (string Name, string Value)[] others) =>
        new(
            preset,
            [
                .. ConnectionPreset.Find(preset).Pragmas.ExceptBy(others.Select(x => x.Name), x => x.Name),
                .. others.Select(x => new Pragma(x.Name, x.Value, "measured")),
            ],
            refreshesStatistics: false
        );

    /// <summary>The work, which sets <see cref="Answer"/>.</summary>
    [Benchmark]
    public void Run()
    {
        var before = Environment.CpuUsage.TotalTime;
        Work();
        BenchmarkRecord.Current.AddProcessor(Environment.CpuUsage.TotalTime - before);
    }

    /// <summary>A database to start from; null for an empty one.</summary>
    protected virtual string? Template => null;

    [GlobalSetup]
    public void MakeFolder() => m_folder = new TempFolder();

    [GlobalCleanup]
    public void RemoveFolder() => m_folder?.Dispose();

    [IterationSetup]
    public void OpenFresh()
    {
        if (Template is { } template)
            File.Copy(template, DatabasePath);
        m_connection = ConnectionOpener.Standard.Open(DatabasePath, Options);
        m_statements = new StatementCache(m_connection);
        Answer = -1;
        BenchmarkRecord.Current.Rows = Rows;
        Prepare();
        m_writtenBefore = ProcessWrites.Bytes();
    }

    [IterationCleanup]
    public void CheckAndClose()
    {
        ReadAnswer();
        CleanUp();
        m_statements!.Dispose();
        m_connection!.Dispose();
        if (ProcessWrites.Bytes() is { } after && m_writtenBefore is { } before)
            BenchmarkRecord.Current.AddWritten(after - before);

        BenchmarkRecord.Current.FileBytes = new FileInfo(DatabasePath).Length;
        foreach (var file in Directory.GetFiles(m_folder!))
            File.Delete(file);
        BenchmarkRecord.Current.Answer = Answer;
        m_expected ??= ExpectedAnswer;
        if (Answer != m_expected)
            throw new InvalidOperationException($"The answer is {Answer}; it should be {m_expected}.");
    }

    /// <summary>What is measured.</summary>
    protected abstract void Work();

    /// <summary>What has to be there before the clock starts.</summary>
    protected virtual void Prepare() { }

    /// <summary>Sets <see cref="Answer"/> where finding it out is no part of what is measured.</summary>
    protected virtual void ReadAnswer() { }

    /// <summary>Closes what <see cref="Prepare"/> opened, after the clock has stopped.</summary>
    protected virtual void CleanUp() { }
}

/// <summary>Databases that are made once and copied for every repetition.</summary>
internal static class DatabaseTemplates
{
    private static readonly Dictionary<string, string> Made = [];
    private static TempFolder? s_folder;

    /// <summary>The file of a template.</summary>
    /// <param name="key">What distinguishes it from the others.</param>
    /// <param name="make">Makes it, at a path where nothing is, and leaves it closed.</param>
    public static string Get(string key, Action<string> make)
    {
        if (Made.TryGetValue(key, out var path))
            return path;

        s_folder ??= new TempFolder();
        path = Path.Combine(s_folder, $"template-{Made.Count}.sqlite");
        make(path);
        return Made[key] = path;
    }

    /// <summary>Removes all of them.</summary>
    public static void Remove()
    {
        Made.Clear();
        s_folder?.Dispose();
        s_folder = null;
    }
}
