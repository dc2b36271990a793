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
/// Below the namespace of a marker type, in the folder "Database schema", lie <c>Schema.sql</c> and scripts whose name begins with the
/// number of the version they lead to. Numbers run from 1 without a gap; those that the base schema does not have follow it. Scripts of
/// versions that are known, and that nothing is upgraded to unasked, lie in the folder "Later schema", and continue the numbers.
/// </remarks>
internal sealed class SchemaResources
{
    private const string FOLDER = ".Database_schema.";
    private const string LATER_FOLDER = ".Later_schema.";
    private const string BASE_SCHEMA = "Schema.sql";

    private readonly Assembly m_assembly;
    private readonly string m_prefix;
    private readonly SortedList<int, List<string>> m_scripts = [];

    private SchemaResources(Assembly assembly, string space)
    {
        m_assembly = assembly;
        m_prefix = space + FOLDER;
        var names = assembly.GetManifestResourceNames();
        AddScripts(names, m_prefix);
        NewestVersion = m_scripts.Count;
        AddScripts(names, space + LATER_FOLDER);
    }

    /// <summary>The version that databases are made with and upgraded to: how many numbered scripts there are.</summary>
    public int NewestVersion { get; }

    /// <summary>The newest version that is known. Databases from <see cref="NewestVersion"/> to this are used as they are.</summary>
    public int NewestKnown => m_scripts.Count;

    /// <summary>Lists the resources of a schema; their text is not read yet.</summary>
    /// <param name="marker">A type in the schema's assembly and namespace.</param>
    /// <returns>The schema.</returns>
    public static SchemaResources Of(Type marker)
    {
        ArgumentNullException.ThrowIfNull(marker);
        return new SchemaResources(marker.Assembly, marker.Namespace ?? "");
    }

    /// <summary>The script that fills an empty database; the version it makes is in it.</summary>
    /// <returns>Its text.</returns>
    public string ReadBaseSchema() => Read(m_prefix + BASE_SCHEMA);

    /// <summary>The script that leads to a version from the one before it.</summary>
    /// <param name="version">The version it leads to, 1 to <see cref="NewestKnown"/>.</param>
    /// <returns>Its text; the texts one after another where several resources have the number.</returns>
    public string ReadScript(int version) => string.Join('\n', m_scripts[version].Order(StringComparer.Ordinal).Select(Read));

    private void AddScripts(string[] names, string prefix)
    {
        foreach (var name in names)
            if (NumberOf(name, prefix) is { } number)
            {
                if (!m_scripts.TryGetValue(number, out var same))
                    m_scripts.Add(number, same = []);
                same.Add(name);
            }
    }

    private static int? NumberOf(string name, string prefix)
    {
        if (!name.StartsWith(prefix, StringComparison.Ordinal))
            return null;
        var rest = name.AsSpan(prefix.Length);
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
