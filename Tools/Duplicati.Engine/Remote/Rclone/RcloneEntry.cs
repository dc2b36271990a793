using System.Text.Json;

namespace Duplicati.Engine.Remote.Rclone;

/// <summary>One file of a list of <c>rclone lsjson</c>.</summary>
internal sealed record RcloneEntry(string Name, long Size, DateTime ModTime, bool IsDir, Dictionary<string, string>? Hashes)
{
    private static readonly JsonSerializerOptions s_json = new() { PropertyNameCaseInsensitive = true };

    /// <summary>A hash by rclone's name of its function, hexadecimal; null if the remote does not know it.</summary>
    internal string? Hash(string function) => Hashes?.GetValueOrDefault(function) is { Length: > 0 } hash ? hash : null;

    /// <summary>The files of a list whose names are plain; others are no volumes, and nobody may be led elsewhere by them.</summary>
    /// <exception cref="RcloneException">It is no list.</exception>
    internal static List<RcloneEntry> Parse(RcloneAddress address, ReadOnlyMemory<byte> output)
    {
        try
        {
            var entries = JsonSerializer.Deserialize<List<RcloneEntry?>>(output.Span, s_json) ?? [];
            return [.. entries.OfType<RcloneEntry>().Where(x => !x.IsDir && x.Name is not null && IsUsable(x.Name))];
        }
        catch (JsonException ex)
        {
            throw new RcloneException($"rclone's list of '{address}' cannot be read ({ex.Message}). Check the version with 'rclone version'; 1.60 or newer is needed.", "RcloneFailed", ex);
        }
    }

    /// <summary>Whether a name is plain and fits on a line of its own.</summary>
    internal static bool IsUsable(string name) => RemoteName.IsPlain(name) && !name.Any(char.IsControl);
}
