// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Remote;
using Duplicati.UnitTest.Tool;

namespace Duplicati.UnitTest.Engine.Remote.Rclone;

/// <summary>A folder of the stand-in for rclone, and what the program was asked to do.</summary>
internal sealed class RcloneCase : IDisposable
{
    private readonly TestFolder m_folder = new();

    internal RcloneCase(long cacheSize = 1_000_000)
    {
        Program = m_folder.File("rclone");
        File.WriteAllText(
            Program,
            $"#!/bin/sh\nexec '{ChildProcess.Host}' exec '{ChildProcess.Program}' {typeof(StandInRclone).FullName} '{m_folder.Path}' \"$@\"\n"
        );
        // The tests exclude Windows.
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(Program, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        Directory.CreateDirectory(Stored);
        Options = new EngineOptions
        {
            Remote = Address,
            DatabasePath = m_folder.File("backup.sqlite"),
            RcloneProgram = Program,
            CacheSize = cacheSize,
        };
        Folder = Open();
    }

    internal static string Address => "rclone:cloud:some/folder";

    internal string Program { get; }

    internal EngineOptions Options { get; }

    internal IRemoteFolder Folder { get; }

    /// <summary>Where the stand-in keeps the files of the folder.</summary>
    internal string Stored => m_folder.File("cloud/some/folder");

    /// <summary>The calls so far: arguments, a blank, names from the standard input.</summary>
    internal string[][] Calls =>
        File.Exists(m_folder.File("calls")) ? [.. File.ReadLines(m_folder.File("calls")).Select(x => x.Split('\t'))] : [];

    /// <summary>The most bytes that lay in the adapter's folder whenever a file arrived.</summary>
    internal long MostHeld => File.ReadLines(m_folder.File("held")).Max(x => long.Parse(x, CultureInfo.InvariantCulture));

    internal string this[string name] => m_folder.File(name);

    internal IRemoteFolder Open() => RemoteFolder.Open(Options, SilentProgress.Instance);

    /// <summary>Runs a command of the tool on the folder, with JSON output.</summary>
    internal Task<ToolRun> RunAsync(string command, params string[] more) =>
        ToolRun.RunAsync([command, Address, .. more, "--no-encryption", "--json", "--rclone", Program]);

    /// <summary>
    /// Makes calls of a command (<c>lsjson</c>, <c>up</c>, <c>down</c>, <c>deletefile</c>, …) go wrong: <c>exit CODE TEXT</c>, <c>lie</c>
    /// (does nothing, says it has),
    /// <c>truncate</c>, <c>corrupt</c>, <c>spoil</c> (corrupts, and fails), <c>late</c> (fails
    /// when all is done), <c>half</c>, <c>garbage</c>, <c>hostile</c>,
    /// <c>twice</c>, <c>hang PORT</c>.
    /// </summary>
    internal void Fault(string command, string fault, bool once = false) =>
        File.WriteAllText(m_folder.File("fault"), $"{(once ? "once" : "always")} {command} {fault}");

    internal void NoFault() => File.Delete(m_folder.File("fault"));

    /// <summary>The remote tells no hashes.</summary>
    internal void NoHashes() => File.WriteAllText(m_folder.File("no-hashes"), "");

    /// <summary>Makes a local file.</summary>
    internal string Local(string name, string content)
    {
        File.WriteAllText(m_folder.File(name), content);
        return m_folder.File(name);
    }

    /// <summary>Puts files of a size straight into the folder.</summary>
    internal List<string> Store(int count, int size)
    {
        var names = Enumerable.Range(0, count).Select(x => $"file-{x:D3}").ToList();
        foreach (var name in names)
            File.WriteAllText(Path.Combine(Stored, name), name.PadRight(size));
        return names;
    }

    public void Dispose()
    {
        Folder.Dispose();
        m_folder.Dispose();
    }
}
