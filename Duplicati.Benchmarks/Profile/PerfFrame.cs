namespace Duplicati.Benchmarks.Profile;

/// <summary>A frame of a sampled stack.</summary>
/// <param name="Module">Name of the program or library without its folder, or of a region: <c>[kernel.kallsyms]</c>, <c>perf-12.map</c>.</param>
/// <param name="Symbol">The function or method; <c>[unknown]</c> where perf has no name.</param>
/// <param name="IsKernel">Whether it is the system's.</param>
internal readonly record struct PerfFrame(string Module, string Symbol, bool IsKernel)
{
    /// <summary>What perf calls a module or a symbol that it does not know.</summary>
    public const string Unknown = "[unknown]";

    private const string Gone = " (deleted";
    private const string Library = ".dll";

    /// <summary>
    /// The assembly of a managed method; null for native functions. Methods compiled ahead lie in the file of the assembly; those
    /// compiled while the program runs have it in their name: <c>instance void [Assembly] Namespace.Type::Method(int32)[Tier0]</c>.
    /// </summary>
    public string? Assembly
    {
        get
        {
            if (Module.EndsWith(Library, StringComparison.Ordinal))
                return Module[..^Library.Length];
            var end = Symbol.IndexOf("::", StringComparison.Ordinal);
            if (end < 0 || !Module.StartsWith("perf-", StringComparison.Ordinal))
                return null;

            // What is returned may name assemblies as well; the method's own is the last before its type.
            var close = Symbol.LastIndexOf("] ", end, StringComparison.Ordinal);
            var open = close < 0 ? -1 : Symbol.LastIndexOf('[', close);
            return open < 0 ? null : Symbol[(open + 1)..close];
        }
    }

    /// <summary>Reads a line of <c>perf script</c>: an address, a symbol, and in parentheses where it lies. The symbol may have parentheses too.</summary>
    public static PerfFrame Parse(string line)
    {
        var text = line.Trim();
        var gap = text.IndexOf(' ', StringComparison.Ordinal);
        var (address, rest) = gap < 0 ? (text, "") : (text[..gap], text[(gap + 1)..]);
        var place = Math.Max(rest.LastIndexOf("(/", StringComparison.Ordinal), rest.LastIndexOf("([", StringComparison.Ordinal));
        if (place < 0)
            place = rest.LastIndexOf('(');
        var symbol = place < 0 ? rest : rest[..place].TrimEnd();
        var module = place < 0 ? "" : rest[(place + 1)..].TrimEnd(')');
        if (module.EndsWith(Gone, StringComparison.Ordinal))
            module = module[..^Gone.Length];
        return new PerfFrame(module.StartsWith('[') ? module : Path.GetFileName(module), symbol, IsOfKernel(address));
    }

    // The upper half of the addresses.
    private static bool IsOfKernel(string address) => address.Length == 16 && address.StartsWith("ffff", StringComparison.Ordinal);
}
