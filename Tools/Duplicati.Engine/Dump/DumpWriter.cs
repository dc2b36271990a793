// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Text;

namespace Duplicati.Engine.Dump;

/// <summary>
/// Writes a dump: one JSON object, one key a section, one line an element, everything sorted, so that two dumps compare line by line.
/// </summary>
/// <remarks>
/// Volumes and prefixes are sorted by name, blocksets and metadata by hash and length, filesets by time, everything else by its text.
/// </remarks>
internal sealed class DumpWriter(TextWriter output)
{
    private readonly DumpJson m_json = new();

    /// <summary>Writes all sections. Memory does not grow with the database.</summary>
    /// <param name="source">What to write.</param>
    public void Write(DatabaseDumpReader source)
    {
        output.Write("{\n");
        Section("format", m_json.Value(DumpNames.Format));
        Section("format_version", m_json.Value(DumpNames.FormatVersion));
        Section(DumpNames.SchemaVersion, m_json.Value(source.SchemaVersion));
        Section(DumpNames.IntegrityCheck, m_json.Value(source.IntegrityCheck));
        Sorted(DumpNames.RemoteVolumes, source.RemoteVolumes.Select(x => (CodePoints(x.Name), m_json.Text(x))));
        Sorted(DumpNames.Blocks, source.Blocks.Select(m_json.Text));
        Sorted(DumpNames.DuplicateBlocks, source.DuplicateBlocks.Select(m_json.Text));
        Sorted(DumpNames.DeletedBlocks, source.DeletedBlocks.Select(m_json.Text));
        Sorted(DumpNames.Blocksets, source.Blocksets.Select(x => (m_json.Key(x.FullHash, x.Length), m_json.Text(x))));
        Sorted(DumpNames.Metadatasets, source.Metadatasets.Select(x => (m_json.Key(x.FullHash, x.Length), m_json.Text(x))));
        if (source.PathPrefixes is { } prefixes)
            Sorted(DumpNames.PathPrefixes, prefixes.Select(x => (CodePoints(x), m_json.Value(x))));
        else
            Section(DumpNames.PathPrefixes, m_json.Value(null));
        Filesets(source.Filesets);
        Sorted(DumpNames.FilesWithoutFileset, source.FilesWithoutFileset.Select(m_json.TextWithoutTime));
        Sorted(DumpNames.IndexBlockLinks, source.IndexBlockLinks.Select(m_json.Text));
        if (source.RestoreTests is { } tests)
            Sorted(DumpNames.RestoreTests, tests.Select(m_json.Text));
        Section(DumpNames.Configuration, m_json.Object([.. source.Configuration.Select(x => (x.Key, (object?)x.Value))]));
        Lines(DumpNames.Operations, source.Operations.Select(m_json.Value));
        Section(DumpNames.RowCounts, m_json.Object([.. source.RowCounts.Select(x => (x.Key, (object?)x.Value))]));
        Sorted(DumpNames.SchemaObjects, source.SchemaObjects.Select(m_json.Text), last: true);
        output.Write("}\n");
    }

    private void Section(string name, string value) => output.Write(string.Create(CultureInfo.InvariantCulture, $"\"{name}\": {value},\n"));

    private void Sorted(string name, IEnumerable<string> lines, bool last = false) => Sorted(name, lines.Select(x => ("", x)), last);

    private void Sorted(string name, IEnumerable<(string Key, string Line)> lines, bool last = false)
    {
        using var sorter = new LineSorter();
        foreach (var (key, line) in lines)
            sorter.Add(line, key);
        Lines(name, sorter.Sorted(), last);
    }

    /// <summary>ASCII text that sorts like the code points of a text.</summary>
    private static string CodePoints(string text) => Convert.ToHexString(Encoding.UTF8.GetBytes(text));

    private void Lines(string name, IEnumerable<string> lines, bool last = false)
    {
        output.Write($"\"{name}\": [");
        Separated(lines, "\n", ",\n", "\n");
        output.Write(last ? "]\n" : "],\n");
    }

    /// <summary>Keys in the order of the alphabet: the entries come first and may be more than fit in memory.</summary>
    private void Filesets(IEnumerable<DumpFileset> filesets)
    {
        output.Write($"\"{DumpNames.Filesets}\": [");
        var any = false;
        foreach (var fileset in filesets)
        {
            output.Write(any ? ",\n{\"entries\": [" : "\n{\"entries\": [");
            using var sorter = new LineSorter();
            foreach (var entry in fileset.Entries)
                sorter.Add(m_json.Text(entry));
            Separated(sorter.Sorted(), "", ", ", "");
            output.Write($"], \"is_full\": {m_json.Value(fileset.IsFull)}");
            // Dumps of schemas that have no labels are as they always were.
            if (fileset.Label is { } label)
                output.Write($", \"label\": {m_json.Value(label)}");
            output.Write(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $", \"timestamp\": {fileset.Timestamp}, \"volume\": {m_json.Value(fileset.Volume)}}}"
                )
            );
            any = true;
        }
        output.Write(any ? "\n],\n" : "],\n");
    }

    private void Separated(IEnumerable<string> items, string before, string between, string after)
    {
        var any = false;
        foreach (var item in items)
        {
            output.Write(any ? between : before);
            output.Write(item);
            any = true;
        }
        if (any)
            output.Write(after);
    }
}
