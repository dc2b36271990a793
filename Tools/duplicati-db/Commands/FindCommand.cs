// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using System.Text;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>find --dbpath FILE --block HASH | --file-hash HASH | --volume NAME | --path P | --version N</c></summary>
internal static class FindCommand
{
    private const long Shown = 100;

    private const string Description = """
        Find which files of which versions use which block of which volume, and where in the file it is: from any one of them.
        Changes nothing.

        Uses are read one after the other and take no memory, however many there are. Everything is found by an index but lists of blocks: for
        --block and --volume the table of them is read whole, a row for each such list of a large file.

        Examples:
          duplicati-db find --dbpath me.sqlite --path /home/me/letter.odt
          duplicati-db find --dbpath me.sqlite --volume duplicati-b17e2269a42b749028a810f91a046e1a0.dblock.zip --limit all
          duplicati-db find --dbpath me.sqlite --block hnTlH1fNN2pQzbQvu3Y9h3Ib7ExhGhTjdCOvWjzKnPU= --json
        """;

    private static readonly Option<string> s_block = new("--block") { Description = "The hash of a block, in Base64.", HelpName = "HASH" };
    private static readonly Option<string> s_fileHash = new("--file-hash")
    {
        Description = "The hash of a whole file, in Base64.",
        HelpName = "HASH",
    };
    private static readonly Option<string> s_volume = new("--volume")
    {
        Description = "The name of a volume, as it is in the remote folder.",
        HelpName = "NAME",
    };
    private static readonly Option<string> s_path = new("--path")
    {
        Description = "The whole path of a file, a folder or a link, as it was backed up.",
    };
    private static readonly Option<long?> s_version = new("--version") { Description = "A version, 0 = newest." };
    private static readonly Option<long> s_limit = CommonOptions.CountOrAll("--limit", "Maximum number of uses, or all.", "uses", Shown);

    private static readonly Option[] s_starts = [s_block, s_fileHash, s_volume, s_path, s_version];

    internal static Command Create()
    {
        var command = new Command("find", Description).With([CommonOptions.DatabasePath, .. s_starts, s_limit, CommonOptions.Preset]);
        command.Checks(Check);
        return command
            .WithOutput()
            .Runs(
                async (console, parsed, progress, stop) =>
                {
                    // Nothing is given out before it is known to be of one moment.
                    using var temporary = new TemporaryFolder();
                    var spool = Path.Combine(temporary.Path, "found");
                    await new FindOperation(
                        parsed.GetValue(CommonOptions.DatabasePath)!.FullName,
                        parsed.GetValue(CommonOptions.Preset)!,
                        progress
                    ).RunAsync(Request(parsed), (report, uses) => Write(parsed, spool, report, uses), stop);
                    await using var output = console.OpenBinaryOutput();
                    using var found = File.OpenRead(spool);
                    await found.CopyToAsync(output, stop);
                    return ExitCode.Ok;
                }
            );
    }

    private static void Check(CommandResult result)
    {
        if (s_starts.Count(x => result.GetResult(x) is not null) != 1)
            result.AddError($"Give one of {string.Join(", ", s_starts.Select(x => x.Name))}.");
    }

    private static FindRequest Request(ParseResult parsed) =>
        new()
        {
            Block = parsed.GetValue(s_block),
            FileHash = parsed.GetValue(s_fileHash),
            Volume = parsed.GetValue(s_volume),
            Path = parsed.GetValue(s_path),
            Version = parsed.GetValue(s_version),
        };

    // Once more from the beginning if the database was written to meanwhile.
    private static bool Write(ParseResult parsed, string spool, FindReport report, IEnumerable<FoundUse> uses)
    {
        using var text = new StreamWriter(spool, append: false, new UTF8Encoding(false));
        using var rows = uses.GetEnumerator();
        var limit = parsed.GetValue(s_limit);
        return parsed.GetValue(CommonOptions.Json) ? WriteJson(text, report, rows, limit) : WriteText(text, report, rows, limit);
    }

    private static bool WriteJson(TextWriter text, FindReport report, IEnumerator<FoundUse> uses, long limit)
    {
        text.WriteLine($$"""{"found": {{ToolConsole.ToJson(report)}},""");
        text.Write("\"uses\": [");
        var count = 0L;
        for (; count < limit && uses.MoveNext(); count++)
        {
            text.WriteLine(count == 0 ? "" : ",");
            text.Write(ToolConsole.ToJson(uses.Current));
        }

        var more = uses.MoveNext();
        text.WriteLine($"],\n\"more\": {(more ? "true" : "false")}}}");
        return more;
    }

    private static bool WriteText(TextWriter text, FindReport report, IEnumerator<FoundUse> uses, long limit)
    {
        foreach (var block in report.Blocks)
            text.WriteLine(
                $"{block.Place} block {block.Hash}, {SizeText.Of(block.Size)}, in {SafeText.Of(block.Volume ?? "no volume")} ({block.State})"
            );
        foreach (var content in report.Contents)
            text.WriteLine($"Content {content.Hash}, {SizeText.Of(content.Length)}");
        if (report.Volume is { } volume)
            Describe(volume, text);
        var count = 0L;
        for (; count < limit && uses.MoveNext(); count++)
        {
            if (count == 0)
                text.WriteLine($"{"versions", -10}  {"role", -8}  {"offset", 14}  {"bytes", 10}  {"block", -44}  volume  path");
            var use = uses.Current;
            text.WriteLine(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"{use.Versions, -10}  {use.Role, -8}  {use.Offset, 14}  {use.Size, 10}  {use.Block, -44}  {SafeText.Of(use.Volume ?? "-")}  {SafeText.Of(use.Path)}"
                )
            );
        }

        var more = uses.MoveNext();
        text.WriteLine(more ? $"{SizeText.Count(count, "use")}, and more; --limit all gives all." : $"{SizeText.Count(count, "use")}.");
        return more;
    }

    private static void Describe(FoundVolume volume, TextWriter text)
    {
        text.WriteLine(
            $"Volume {SafeText.Of(volume.Name)}: {volume.Type}, {volume.State}, {(volume.Size is { } size ? SizeText.Of(size) : "size unknown")}"
        );
        if (volume.Version is { } version)
            text.WriteLine($"File list of version {version}, {ListText.Time(volume.VersionTime)}");
        foreach (var linked in volume.Linked)
            text.WriteLine($"{(volume.Type == "Index" ? "Describes" : "Described by")} {SafeText.Of(linked)}");
    }
}
