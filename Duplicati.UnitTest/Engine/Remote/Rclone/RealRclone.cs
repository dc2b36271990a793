// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Text.RegularExpressions;

namespace Duplicati.UnitTest.Engine.Remote.Rclone;

/// <summary>
/// The installed rclone with three remotes, told by the environment alone: <c>disk</c>, a folder; <c>secret</c>, the same encrypted;
/// <c>net</c>, the same behind a
/// WebDAV server that <c>rclone serve</c> runs.
/// </summary>
internal sealed class RealRclone : IDisposable
{
    /// <summary>The category of tests that need the program.</summary>
    internal const string Category = "Rclone";

    private const string Password = "a password of the server";

    private readonly TestFolder m_folder = new();
    private readonly List<EnvironmentVariable> m_variables = [];
    private readonly Process m_server;

    internal RealRclone()
    {
        Directory.CreateDirectory(Stored);
        Set("RCLONE_CONFIG", m_folder.File("rclone.conf"));
        File.WriteAllText(m_folder.File("rclone.conf"), "");
        m_server = Serve();
        Url = ReadUrl();
        Remote("disk", ("TYPE", "alias"), ("REMOTE", Stored));
        Remote("secret", ("TYPE", "crypt"), ("REMOTE", "disk:encrypted"), ("PASSWORD", Obscure("a password of crypt")));
        Remote("net", ("TYPE", "webdav"), ("URL", Url), ("USER", "me"), ("PASS", Obscure(Password)));
        Remote("intruder", ("TYPE", "webdav"), ("URL", Url), ("USER", "me"), ("PASS", Obscure("wrong")));
        Remote("gone", ("TYPE", "webdav"), ("URL", "http://127.0.0.1:9/"));
    }

    /// <summary>The folder that all remotes are in.</summary>
    internal string Stored => m_folder.File("stored");

    internal string Url { get; }

    internal string this[string name] => m_folder.File(name);

    public void Dispose()
    {
        ChildProcess.Kill(m_server);
        m_server.Dispose();
        foreach (var variable in m_variables)
            variable.Dispose();
        m_folder.Dispose();
    }

    private void Set(string name, string value) => m_variables.Add(new EnvironmentVariable(name, value));

    private void Remote(string name, params (string Key, string Value)[] settings)
    {
        foreach (var (key, value) in settings)
            Set($"RCLONE_CONFIG_{name.ToUpperInvariant()}_{key}", value);
    }

    private Process Serve()
    {
        var start = new ProcessStartInfo("rclone", ["serve", "webdav", "--addr", "127.0.0.1:0", Stored]) { RedirectStandardError = true };
        start.Environment["RCLONE_USER"] = "me";
        start.Environment["RCLONE_PASS"] = Password;
        return Process.Start(start)!;
    }

    private string ReadUrl()
    {
        var url = new Regex(@"http://127\.0\.0\.1:\d+/");
        var line = Wait.ForLine(m_server, m_server.StandardError, url.IsMatch, "its address");
        _ = m_server.StandardError.ReadToEndAsync();
        return url.Match(line).Value;
    }

    // Through its standard input: also in tests no password is on a command line.
    private static string Obscure(string password) =>
        ChildProcess.Run(new ProcessStartInfo("rclone", ["obscure", "-"]), password).Output.Trim();
}
