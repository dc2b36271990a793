// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Volumes;

namespace Duplicati.Tool.Cli;

/// <summary>How new volumes are packed: the options of the commands that write some, with Duplicati's names.</summary>
internal static class CompressionOptions
{
    internal static readonly Option<string?> Module = new("--compression-module")
    {
        Description = "How new volumes are packed: zip, tzstd or tgz (default: the database's own, or zip). Old ones stay as they are.",
    };

    private static readonly Option<string?> s_method = new("--zip-compression-method")
    {
        Description = "Method of entries in zip volumes: None, Deflate, ZStandard, BZip2, LZMA or PPMd (default Deflate).",
    };

    private static readonly Option<int?> s_zipLevel = new("--zip-compression-level")
    {
        Description = "Level for zip, 0 (stored) to 9; for Deflate (default 6) and ZStandard (default 3).",
    };

    private static readonly Option<int?> s_tzstdLevel = new("--tzstd-compression-level")
    {
        Description = "Level for tzstd, 1 to 22 (default 10).",
    };

    private static readonly Option<int?> s_tgzLevel = new("--tgz-compression-level")
    {
        Description = "Level for tgz, 0 (stored) to 3 (default 2).",
    };

    /// <summary>Adds the options.</summary>
    internal static Command WithCompression(this Command command) => command.With(Module, s_method, s_zipLevel, s_tzstdLevel, s_tgzLevel);

    /// <summary>What was asked for, but for the module.</summary>
    internal static VolumeCompression Of(ParseResult parsed) =>
        new()
        {
            Method = parsed.GetValue(s_method) is { } method ? VolumeCompression.ParseMethod(method) : ZipMethod.Deflate,
            ZipLevel = parsed.GetValue(s_zipLevel),
            TzstdLevel = parsed.GetValue(s_tzstdLevel),
            TgzLevel = parsed.GetValue(s_tgzLevel),
        };
}
