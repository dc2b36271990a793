// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>bug-report --dbpath FILE OUTPUT</c></summary>
internal static class BugReportCommand
{
    private const string Description = """
        Make a copy of a database that can be shown to others: without paths, messages, metadata texts and settings.

        Paths are replaced by numbers, messages, metadata texts and all settings but the format are erased, and volumes get the usual
        prefix. The rest of their names, sizes and hashes stay. The database itself is only read.

        OUTPUT is an archive with the database and a description of the system if it ends in .zip, else the database alone. A file
        that exists is not overwritten.

        Examples:
          duplicati-db bug-report --dbpath me.sqlite report.zip
          duplicati-db bug-report --dbpath me.sqlite scrubbed.sqlite
        """;

    internal static Command Create()
    {
        var output = new Argument<FileInfo>("OUTPUT") { Description = "The file to make." };
        return new Command("bug-report", Description)
            .With(output, CommonOptions.DatabasePath, CommonOptions.Preset)
            .WithOutput()
            .Runs(
                async (console, parsed, _, stop) =>
                {
                    var report = await new BugReportOperation(
                        parsed.GetValue(CommonOptions.DatabasePath)!.FullName,
                        parsed.GetValue(CommonOptions.Preset)!
                    ).RunAsync(parsed.GetValue(output)!.FullName, stop);
                    console.Write(
                        parsed,
                        report,
                        text =>
                            text.WriteLine(
                                $"{SafeText.Of(report.Path)}: {SizeText.Of(report.Bytes)}, with a database of {SizeText.Of(report.DatabaseBytes)}."
                            )
                    );
                    return ExitCode.Ok;
                }
            );
    }
}
