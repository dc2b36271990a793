// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;

namespace Duplicati.Benchmarks.Contenders;

/// <summary>Versions of packages, as their assemblies tell them.</summary>
internal static class PackageVersion
{
    /// <summary>The version of the assembly that a type is in.</summary>
    public static string Of(Type type)
    {
        var version = type.Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion;
        return (version ?? type.Assembly.GetName().Version!.ToString()).Split('+')[0];
    }
}
