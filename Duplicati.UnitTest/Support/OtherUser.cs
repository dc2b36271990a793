// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.Versioning;

namespace Duplicati.UnitTest.Support;

/// <summary>
/// Somebody who may read a folder and may not write to it. For root that is another user, if the system can change to one who can
/// run the tests; the owner takes the right to write away from himself.
/// </summary>
[UnsupportedOSPlatform("windows")]
internal sealed class OtherUser : IDisposable
{
    private const UnixFileMode All =
        UnixFileMode.UserRead
        | UnixFileMode.UserWrite
        | UnixFileMode.UserExecute
        | UnixFileMode.GroupRead
        | UnixFileMode.GroupWrite
        | UnixFileMode.GroupExecute
        | UnixFileMode.OtherRead
        | UnixFileMode.OtherWrite
        | UnixFileMode.OtherExecute;

    private static readonly string[] s_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

    private readonly TestFolder m_temporary = new();
    private readonly string m_folder;
    private readonly string m_outer;
    private readonly UnixFileMode m_mode;
    private readonly UnixFileMode m_outerMode;

    /// <param name="outer">The folder that holds all, which is made passable.</param>
    /// <param name="folder">The folder that may only be read.</param>
    public OtherUser(string outer, string folder)
    {
        (m_outer, m_folder) = (outer, folder);
        (m_outerMode, m_mode) = (File.GetUnixFileMode(outer), File.GetUnixFileMode(folder));
        File.SetUnixFileMode(outer, All & ~UnixFileMode.GroupWrite & ~UnixFileMode.OtherWrite);
        File.SetUnixFileMode(folder, All & ~UnixFileMode.GroupWrite & ~UnixFileMode.OtherWrite & ~UnixFileMode.UserWrite);
        foreach (var file in Directory.GetFiles(folder))
            File.SetUnixFileMode(file, UnixFileMode.UserRead | UnixFileMode.GroupRead | UnixFileMode.OtherRead);
        File.SetUnixFileMode(m_temporary.Path, All);
    }

    /// <summary>A path of the same name where it can be written.</summary>
    public string Writable(string path) => m_temporary.File(Path.GetFileName(path));

    /// <summary>Runs a child program as that user.</summary>
    public (int ExitCode, string Output, string Error) Run<T>(params string[] args)
        where T : IChildProgram
    {
        string[] command = [ChildProcess.Host, "exec", ChildProcess.Program, typeof(T).FullName!, .. args];
        if (Environment.IsPrivilegedProcess && CanChange())
            command = [.. s_nobody, .. command];
        return ChildProcess.Run("env", [$"TMPDIR={m_temporary.Path}", $"HOME={m_temporary.Path}", .. command]);
    }

    public void Dispose()
    {
        File.SetUnixFileMode(m_folder, m_mode);
        File.SetUnixFileMode(m_outer, m_outerMode);
        m_temporary.Dispose();
    }

    private static bool CanChange()
    {
        try
        {
            return ChildProcess
                    .Run(
                        s_nobody[0],
                        [.. s_nobody[1..], "sh", "-c", "test -x \"$0\" && test -r \"$1\"", ChildProcess.Host, ChildProcess.Program]
                    )
                    .ExitCode == 0;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return false;
        }
    }
}
