// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>dump DATABASE</c></summary>
internal static class DumpCommand
{
    internal static Command Create() =>
        new Command("dump", "Write the content of a database, of any schema version, as canonical JSON: equal content gives equal text.")
            .With(CommonOptions.Database)
            .WithOutput()
            .Runs(
                async (console, parsed, _, stop) =>
                {
                    await using var output = console.OpenBinaryOutput();
                    await DumpOperation.WriteAsync(parsed.GetValue(CommonOptions.Database)!.FullName, output, stop);
                    return ExitCode.Ok;
                }
            );
}
