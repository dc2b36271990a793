namespace Duplicati.Benchmarks.Profile;

/// <summary>Which part a frame belongs to, by the assembly or the library it is in.</summary>
internal static class FrameOwner
{
    private static readonly Dictionary<string, ProfilePart> s_assemblies = new(StringComparer.Ordinal)
    {
        ["Duplicati.Library.Main.Database"] = ProfilePart.Layer,
        ["SQLiteHelper"] = ProfilePart.Layer,
        ["Microsoft.Data.Sqlite"] = ProfilePart.Layer,
        ["SQLitePCLRaw.core"] = ProfilePart.Layer,
        ["SQLitePCLRaw.provider.e_sqlite3"] = ProfilePart.Layer,
        ["SQLitePCLRaw.batteries_v2"] = ProfilePart.Layer,
        ["System.Security.Cryptography"] = ProfilePart.Cryptography,
        ["System.IO.Compression"] = ProfilePart.Compression,
        ["Duplicati.Engine"] = ProfilePart.Engine,
    };

    // By the beginning of the name: numbers of releases follow.
    private static readonly (string Name, ProfilePart Part)[] s_libraries =
    [
        ("libe_sqlite3.", ProfilePart.Sqlite),
        ("libsqlite3.", ProfilePart.Sqlite),
        ("libSystem.Security.Cryptography.Native.", ProfilePart.Cryptography),
        ("libcrypto.", ProfilePart.Cryptography),
        ("libSystem.IO.Compression.Native.", ProfilePart.Compression),
        ("libz.", ProfilePart.Compression),
        ("libclrjit.", ProfilePart.Compiler),
    ];

    // They are below every managed method, so that they count only where none stands above them.
    private static readonly (string Name, ProfilePart Part)[] s_below =
    [
        ("libcoreclr.", ProfilePart.Runtime),
        ("libclrgc", ProfilePart.Runtime),
        ("libhostfxr.", ProfilePart.Start),
        ("libhostpolicy.", ProfilePart.Start),
        ("ld-", ProfilePart.Start),
        ("dotnet", ProfilePart.Start),
    ];

    /// <summary>The part whose work a frame is; null where whoever called it decides.</summary>
    public static ProfilePart? Of(PerfFrame frame) =>
        frame.IsKernel ? null
        : frame.Assembly is { } assembly ? (s_assemblies.TryGetValue(assembly, out var part) ? part : null)
        : Find(s_libraries, frame.Module);

    /// <summary>The part of a frame of the runtime; null for others.</summary>
    public static ProfilePart? Below(PerfFrame frame) => frame.IsKernel || frame.Assembly is not null ? null : Find(s_below, frame.Module);

    private static ProfilePart? Find((string Name, ProfilePart Part)[] parts, string module)
    {
        foreach (var (name, part) in parts)
        {
            if (module.StartsWith(name, StringComparison.Ordinal))
                return part;
        }

        return null;
    }
}
