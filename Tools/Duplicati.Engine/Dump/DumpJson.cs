// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Text;

namespace Duplicati.Engine.Dump;

/// <summary>Writes the elements of a dump as JSON text: pure ASCII, keys sorted, a blank behind commas and colons.</summary>
/// <remarks>
/// The text is also what elements are sorted and compared by, so it must be exactly this: what Python's json.dumps writes. Not thread safe;
/// reuse one for many elements.
/// </remarks>
internal sealed class DumpJson
{
    private readonly StringBuilder m_text = new();

    /// <summary>The text of a remote volume.</summary>
    public string Text(DumpVolume x) =>
        Object(
            ("archive_time", x.ArchiveTime),
            ("delete_grace_time", x.DeleteGraceTime),
            ("hash", x.Hash),
            ("lock_expiration_time", x.LockExpirationTime),
            ("name", x.Name),
            ("size", x.Size),
            ("state", x.State),
            ("type", x.Type),
            ("verification_count", x.VerificationCount)
        );

    /// <summary>The text of a block.</summary>
    public string Text(DumpBlock x)
    {
        m_text.Clear().Append('[');
        Append(x.Hash).Append(", ");
        Append(x.Size).Append(", ");
        return Append(x.Volume).Append(']').ToString();
    }

    /// <summary>The text of a blockset.</summary>
    public string Text(DumpBlockset x) =>
        Object(
            ("block_count", x.BlockCount),
            ("blocklist_hashes", x.BlocklistHashes),
            ("blocks_digest", x.BlocksDigest),
            ("contiguous", x.Contiguous),
            ("fullhash", x.FullHash),
            ("length", x.Length)
        );

    /// <summary>The text of a metadata record.</summary>
    public string Text(DumpMetadataset x) => Object(("content", x.Content), ("fullhash", x.FullHash), ("length", x.Length));

    /// <summary>The text that blocksets and metadata are sorted by.</summary>
    public string Key(string hash, long? length) => Array(hash, length);

    /// <summary>The text of an entry of a fileset.</summary>
    public string Text(DumpEntry x) => Array(x.Path, x.Kind, x.FullHash, x.Length, x.MetadataHash, x.MetadataLength, x.LastModified);

    /// <summary>The text of a file that is in no fileset, which has no time.</summary>
    public string TextWithoutTime(DumpEntry x) => Array(x.Path, x.Kind, x.FullHash, x.Length, x.MetadataHash, x.MetadataLength);

    /// <summary>The text of a link.</summary>
    public string Text(DumpIndexLink x) => Array(x.IndexVolume, x.BlockVolume);

    /// <summary>The text of a file that was tested.</summary>
    public string Text(DumpRestoreTest x) => Array(x.Path, x.LastVerified, x.LastResult);

    /// <summary>The text of an object of the schema.</summary>
    public string Text(DumpSchemaObject x) => Array(x.Type, x.Name, x.Table);

    /// <summary>The text of a value: text, number, truth value, null or a list of texts.</summary>
    public string Value(object? value)
    {
        m_text.Clear();
        return Append(value).ToString();
    }

    /// <summary>The text of an object.</summary>
    public string Object(params ReadOnlySpan<(string Key, object? Value)> members)
    {
        m_text.Clear().Append('{');
        foreach (var (key, value) in members)
        {
            if (m_text.Length > 1)
                m_text.Append(", ");
            Append(key).Append(": ");
            Append(value);
        }
        return m_text.Append('}').ToString();
    }

    private string Array(params ReadOnlySpan<object?> values)
    {
        m_text.Clear().Append('[');
        foreach (var value in values)
        {
            if (m_text.Length > 1)
                m_text.Append(", ");
            Append(value);
        }
        return m_text.Append(']').ToString();
    }

    private StringBuilder Append(object? value) =>
        value switch
        {
            null => m_text.Append("null"),
            string text => Append(text),
            bool truth => m_text.Append(truth ? "true" : "false"),
            IReadOnlyList<string> list => AppendList(list),
            IFormattable number => m_text.Append(number.ToString(null, CultureInfo.InvariantCulture)),
            _ => throw new ArgumentException($"A dump holds no {value.GetType().Name}", nameof(value)),
        };

    private StringBuilder Append(long? value) =>
        value == null ? m_text.Append("null") : m_text.Append(CultureInfo.InvariantCulture, $"{value}");

    private StringBuilder AppendList(IReadOnlyList<string> list)
    {
        m_text.Append('[');
        for (var i = 0; i < list.Count; i++)
        {
            if (i > 0)
                m_text.Append(", ");
            Append(list[i]);
        }
        return m_text.Append(']');
    }

    private StringBuilder Append(string? text)
    {
        if (text == null)
            return m_text.Append("null");
        m_text.Append('"');
        foreach (var c in text)
            _ = c switch
            {
                '"' => m_text.Append("\\\""),
                '\\' => m_text.Append("\\\\"),
                '\n' => m_text.Append("\\n"),
                '\r' => m_text.Append("\\r"),
                '\t' => m_text.Append("\\t"),
                '\b' => m_text.Append("\\b"),
                '\f' => m_text.Append("\\f"),
                >= ' ' and <= '~' => m_text.Append(c),
                _ => m_text.Append(CultureInfo.InvariantCulture, $"\\u{(int)c:x4}"),
            };
        return m_text.Append('"');
    }
}
