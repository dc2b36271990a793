// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;

namespace Duplicati.Library.SQLiteHelper.Scripts;

/// <summary>The schema of one kind of database, as embedded in an assembly.</summary>
/// <remarks>
/// Below the namespace of a marker type, in the folder "Database schema", lie <c>Schema.sql</c>, the newest version, and scripts
/// whose name begins with the number of the version they lead to. Numbers run from 1 without a gap.
/// </remarks>
internal sealed class SchemaResources
{
    private const string FOLDER = ".Database_schema.";
    private const string BASE_SCHEMA = "Schema.sql";

    private readonly Assembly m_assembly;
    private readonly string m_prefix;
    private readonly SortedList<int, List<string>> m_scripts = [];

    private SchemaResources(Assembly assembly, string prefix)
    {
        m_assembly = assembly;
        m_prefix = prefix;
        foreach (var name in assembly.GetManifestResourceNames())
            if (NumberOf(name) is { } number)
            {
                if (!m_scripts.TryGetValue(number, out var names))
                    m_scripts.Add(number, names = []);
                names.Add(name);
            }
    }

    /// <summary>The newest version: how many numbered scripts there are.</summary>
    public int NewestVersion => m_scripts.Count;

    /// <summary>Lists the resources of a schema; their text is not read yet.</summary>
    /// <param name="marker">A type in the schema's assembly and namespace.</param>
    /// <returns>The schema.</returns>
    public static SchemaResources Of(Type marker)
    {
        ArgumentNullException.ThrowIfNull(marker);
        return new SchemaResources(marker.Assembly, marker.Namespace + FOLDER);
    }

    /// <summary>The script that creates an empty database at the newest version.</summary>
    /// <returns>Its text.</returns>
    public string ReadBaseSchema() => Read(m_prefix + BASE_SCHEMA);

    /// <summary>The script that leads to a version from the one before it.</summary>
    /// <param name="version">The version it leads to, 1 to <see cref="NewestVersion"/>.</param>
    /// <returns>Its text; the texts one after another where several resources have the number.</returns>
    public string ReadScript(int version) => string.Join('\n', m_scripts[version].Order(StringComparer.Ordinal).Select(Read));

    private int? NumberOf(string name)
    {
        if (!name.StartsWith(m_prefix, StringComparison.Ordinal))
            return null;
        var rest = name.AsSpan(m_prefix.Length);
        var end = rest.IndexOf('.');
        return end > 0 && int.TryParse(rest[..end], NumberStyles.Integer, CultureInfo.InvariantCulture, out var number) ? number : null;
    }

    private string Read(string name)
    {
        using var stream =
            m_assembly.GetManifestResourceStream(name)
            ?? throw new InvalidOperationException($"The assembly {m_assembly.GetName().Name} has no resource {name}");
        using var reader = new StreamReader(stream, Encoding.UTF8);
        return reader.ReadToEnd();
    }
}
