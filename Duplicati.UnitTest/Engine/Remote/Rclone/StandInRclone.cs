// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

namespace Duplicati.UnitTest.Engine.Remote.Rclone;

/// <summary>
/// What stands in for rclone where only .NET is installed: the commands that the adapter uses, on folders, with the same exit codes and
/// texts. Notes each call, and fails in the ways that a test asks for (see <see cref="RcloneCase.Fault"/>).
/// </summary>
internal sealed class StandInRclone : IChildProgram
{
    private readonly string m_state;
    private readonly string[] m_args;
    private readonly List<string> m_paths = [];
    private readonly string[] m_names = [];
    private readonly string m_fault;

    private StandInRclone(string state, string[] args)
    {
        m_state = state;
        m_args = args;
        for (var i = 1; i < args.Length; i++)
        {
            if (!args[i].StartsWith('-'))
                m_paths.Add(args[i]);
            else if (
                args[i]
                is "--files-from-raw"
                    or "--hash-type"
                    or "--retries"
                    or "--low-level-retries"
                    or "--transfers"
                    or "--stats"
                    or "--log-level"
            )
                i++;
        }

        if (args.Contains("--files-from-raw"))
            m_names = Console.In.ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries);
        File.AppendAllText(Path.Combine(state, "calls"), string.Join('\t', [.. args, "", .. m_names]) + "\n");
        m_fault = TakeFault();
    }

    // The first word of a fault is the command, "up" or "down" for a copy.
    private string Command =>
        m_args[0] == "copy"
            ? Path.IsPathRooted(m_paths[0])
                ? "up"
                : "down"
            : m_args[0];

    public static int Run(string[] args) => new StandInRclone(args[0], args[1..]).Run();

    private int Run()
    {
        if (m_fault.StartsWith("exit ", StringComparison.Ordinal))
        {
            var parts = m_fault.Split(' ', 3);
            Console.Error.WriteLine(parts[2].Replace("\\n", "\n", StringComparison.Ordinal));
            return int.Parse(parts[1], System.Globalization.CultureInfo.InvariantCulture);
        }

        if (m_fault.StartsWith("hang ", StringComparison.Ordinal))
            Hang(int.Parse(m_fault[5..], System.Globalization.CultureInfo.InvariantCulture));
        return m_fault == "lie"
            ? 0
            : Command switch
            {
                "lsjson" => List(),
                "up" => CopyUp(),
                "down" => CopyDown(),
                "deletefile" => Delete(),
                "moveto" => Move(),
                "mkdir" => MakeFolder(),
                _ => Fail(1, $"unknown command {m_args[0]}"),
            };
    }

    private string TakeFault()
    {
        var file = Path.Combine(m_state, "fault");
        if (!File.Exists(file))
            return "";
        var parts = File.ReadAllText(file).Split(' ', 3);
        if (parts[1] != Command)
            return "";
        if (parts[0] == "once")
            File.Delete(file);
        return parts[2];
    }

    // Whoever listens hears of the beginning, and of the end of this process by the end of the connection.
    private static void Hang(int port)
    {
        using var client = new TcpClient("127.0.0.1", port);
        _ = client.GetStream().ReadByte();
    }

    private string Local(string target) =>
        Path.Combine(
            m_state,
            target[..target.IndexOf(':', StringComparison.Ordinal)],
            target[(target.IndexOf(':', StringComparison.Ordinal) + 1)..]
        );

    private int List()
    {
        var folder = Local(m_paths[0]);
        if (!Directory.Exists(folder))
            return Fail(3, "error in ListJSON: directory not found");
        var files = new DirectoryInfo(folder).GetFiles().Where(x => m_names.Length == 0 || m_names.Contains(x.Name)).ToList();
        if (m_args.Contains("--dirs-only"))
            files.Clear();
        var entries = files.ConvertAll(x => new Entry(x.Name, x.Length, x.LastWriteTimeUtc, Hashes(x.FullName)));
        if (m_fault == "hostile")
        {
            foreach (var name in new[] { "../evil", "a\nb", "..", "/etc/passwd", "c:\\evil", "sub/evil" })
                entries.Add(new(name, 1, DateTime.UnixEpoch, []));
        }

        // As of some clouds, which keep what had a name before: half a file, in turns older and newer.
        if (m_fault == "twice")
            entries.AddRange([.. entries.Select((x, i) => x with { Size = x.Size / 2, Time = x.Time.AddHours(i % 2 == 0 ? 1 : -1) })]);

        var text = Json(json =>
        {
            json.WriteStartArray();
            foreach (var entry in entries)
                entry.WriteTo(json);
            json.WriteEndArray();
        });
        Console.Out.Write(
            m_fault == "half" ? text[..(text.Length / 2)]
            : m_fault == "garbage" ? "2026/01/01 NOTICE: hello"
            : text
        );
        return 0;
    }

    private Dictionary<string, string> Hashes(string path)
    {
        var hashes = new Dictionary<string, string>();
        for (var i = 0; i < m_args.Length - 1; i++)
        {
            if (m_args[i] == "--hash-type" && m_args[i + 1] is "sha1" or "md5" && !File.Exists(Path.Combine(m_state, "no-hashes")))
                hashes[m_args[i + 1]] = Convert.ToHexString(
                    CryptographicOperations.HashData(
                        m_args[i + 1] == "sha1" ? HashAlgorithmName.SHA1 : HashAlgorithmName.MD5,
                        File.ReadAllBytes(path)
                    )
                );
        }

        return hashes;
    }

    private int CopyDown()
    {
        var folder = Local(m_paths[0]);
        if (!Directory.Exists(folder))
            return Fail(3, "error reading source root directory: directory not found");
        foreach (var name in m_names.Where(x => File.Exists(Path.Combine(folder, x))))
        {
            var content = File.ReadAllBytes(Path.Combine(folder, name));
            File.WriteAllBytes(Path.Combine(m_paths[1], name), m_fault == "truncate" ? content[..(content.Length / 2)] : content);
            Note(Directory.GetParent(m_paths[1])!);
            Say("info", "Copied (new)", m_fault == "hostile" ? "../../evil" : name);
        }

        return 0;
    }

    // How much lies in the folder that is to be bounded, but for the mark that it is in use.
    private void Note(DirectoryInfo cache) =>
        File.AppendAllText(
            Path.Combine(m_state, "held"),
            $"{cache.GetFiles("*", SearchOption.AllDirectories).Where(x => x.Name[0] != '.').Sum(Length)}\n"
        );

    // Files are taken away meanwhile.
    private static long Length(FileInfo file)
    {
        try
        {
            return file.Length;
        }
        catch (FileNotFoundException)
        {
            return 0;
        }
    }

    private int CopyUp()
    {
        var folder = Directory.CreateDirectory(Local(m_paths[1])).FullName;
        foreach (var file in new DirectoryInfo(m_paths[0]).GetFiles())
        {
            var content = File.ReadAllBytes(file.FullName);
            if (m_fault is "corrupt" or "spoil")
                content[^1] ^= 1;
            File.WriteAllBytes(Path.Combine(folder, file.Name), m_fault == "truncate" ? content[..(content.Length / 2)] : content);
            Say("info", "Copied (new)", file.Name);
        }

        return m_fault switch
        {
            "spoil" => Fail(1, "corrupted on transfer: sizes are equal, hashes differ"),
            "late" => Fail(1, "connection refused"),
            _ => 0,
        };
    }

    private int Delete()
    {
        if (!File.Exists(Local(m_paths[0])))
            return Fail(1, $"{m_paths[0]} is a directory or doesn't exist");
        File.Delete(Local(m_paths[0]));
        return 0;
    }

    private int Move()
    {
        File.Move(Local(m_paths[0]), Local(m_paths[1]), overwrite: true);
        return 0;
    }

    private int MakeFolder()
    {
        Directory.CreateDirectory(Local(m_paths[0]));
        return 0;
    }

    private static int Fail(int code, string message)
    {
        Say("error", message, null);
        Console.Error.WriteLine($"2026/11/22 03:41:39 Failed: {message}");
        return code;
    }

    private static void Say(string level, string message, string? file) =>
        Console.Error.WriteLine(
            Json(json =>
            {
                json.WriteStartObject();
                json.WriteString("level", level);
                json.WriteString("msg", message);
                json.WriteString("object", file);
                json.WriteEndObject();
            })
        );

    // By hand: each call is a process, and a serializer takes a third of its time.
    private static string Json(Action<Utf8JsonWriter> write)
    {
        using var text = new MemoryStream();
        using (var json = new Utf8JsonWriter(text))
            write(json);
        return Encoding.UTF8.GetString(text.ToArray());
    }

    private sealed record Entry(string Name, long Size, DateTime Time, Dictionary<string, string> Hashes)
    {
        internal void WriteTo(Utf8JsonWriter json)
        {
            json.WriteStartObject();
            json.WriteString("Path", Name);
            json.WriteString(nameof(Name), Name);
            json.WriteNumber(nameof(Size), Size);
            json.WriteString("ModTime", Time);
            json.WriteBoolean("IsDir", false);
            json.WriteStartObject(nameof(Hashes));
            foreach (var (kind, hash) in Hashes)
                json.WriteString(kind, hash);
            json.WriteEndObject();
            json.WriteEndObject();
        }
    }
}
