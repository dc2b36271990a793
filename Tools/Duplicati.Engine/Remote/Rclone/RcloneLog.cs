// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;

namespace Duplicati.Engine.Remote.Rclone;

/// <summary>
/// Reads what rclone writes to its error stream: lines of JSON, and some of plain text. Keeps the last errors and hears which files are
/// complete.
/// </summary>
internal sealed class RcloneLog(Action<string>? copied)
{
    private const int MostLines = 5;

    private readonly Queue<string> m_lines = [];

    /// <summary>The last errors, oldest first.</summary>
    internal IReadOnlyList<string> LastLines => [.. m_lines];

    /// <summary>Reads to the end.</summary>
    internal async Task ReadAsync(TextReader reader)
    {
        while (await reader.ReadLineAsync().ConfigureAwait(false) is { } line)
            Take(line);
    }

    private void Take(string line)
    {
        if (string.IsNullOrWhiteSpace(line))
            return;
        if (line[0] != '{' || Parse(line) is not { } entry)
        {
            Keep(line);
            return;
        }

        var level = Text(entry, "level");
        var message = Text(entry, "msg");
        var file = Text(entry, "object");
        if (level is "info" && file.Length > 0 && message.StartsWith("Copied", StringComparison.Ordinal))
            copied?.Invoke(file);
        else if (level is not ("info" or "debug" or "notice" or "warning"))
            Keep(file.Length > 0 ? $"{file}: {message}" : message);
    }

    // Attempts repeat the same error.
    private void Keep(string line)
    {
        if (m_lines.Contains(line))
            return;
        m_lines.Enqueue(line);
        if (m_lines.Count > MostLines)
            m_lines.Dequeue();
    }

    private static JsonElement? Parse(string line)
    {
        try
        {
            using var document = JsonDocument.Parse(line);
            return document.RootElement.Clone();
        }
        catch (JsonException)
        {
            return null;
        }
    }

    private static string Text(JsonElement entry, string name) =>
        entry.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString()! : "";
}
