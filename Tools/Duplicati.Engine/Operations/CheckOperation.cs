// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Check;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database;

namespace Duplicati.Engine.Operations;

/// <summary>
/// Tells what is wrong with a database, with a remote folder, and with both together, what that means, and what to do. Changes nothing.
/// </summary>
/// <param name="options">What the operation works on; an empty remote folder is none.</param>
/// <param name="access">The options of the command line that say how volumes are reached, encrypted and named, for the commands that are
/// advised.</param>
/// <param name="progress">Told what happens.</param>
public sealed class CheckOperation(EngineOptions options, IReadOnlyList<string> access, IEngineProgress progress)
{
    private readonly CommandWords m_words = new(options, access);

    /// <summary>Runs the check. Volumes are not looked at while the database is damaged or unfinished.</summary>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>DatabaseIsDamaged</c>,
    /// <c>DatabaseFormatError</c>, <c>DatabaseVersionNotSupportedError</c>, …</exception>
    public async Task<CheckReport> RunAsync(CheckDepth depth, CancellationToken token)
    {
        var database = new DatabaseFindings(options.DatabasePath, m_words);
        var findings = await DatabaseReading
            .RunAsync(
                options.DatabasePath,
                options.Preset,
                file => DatabaseCheck.RunAsync(file, options.DatabasePath, database, depth != CheckDepth.Contents, token),
                token,
                ReadingMode.AsItIs
            )
            .ConfigureAwait(false);
        var volumes = 0;
        if (
            options.Remote.Length > 0
            && !findings.Exists(x =>
                x.Kind
                    is "DamagedDatabase"
                        or "UnfinishedRecreate"
                        or "NewerSchema"
                        or "DamagedSchema"
                        or "DamagedSetting"
                        or "EmptyDatabase"
            )
        )
            volumes = await AddVolumesAsync(findings, database, depth, token).ConfigureAwait(false);
        findings = [.. findings.OrderBy(x => x.Severity)];
        return new CheckReport(Verdict(findings, volumes), volumes, m_words.Merge(findings));
    }

    private async Task<int> AddVolumesAsync(
        List<CheckFinding> findings,
        DatabaseFindings database,
        CheckDepth depth,
        CancellationToken token
    )
    {
        VolumeFindings found;
        try
        {
            found = await new VerifyOperation(options, progress).FindAsync(depth, token).ConfigureAwait(false);
        }
        catch (UserInformationException ex) when (ex.HelpID == OtherFolder.HELP_ID)
        {
            findings.Add(new RemoteFindings(m_words, lost: null, isUnknown: false).Other(ex.Message, options.Remote));
            return 0;
        }
        catch (DamagedSettingException ex)
        {
            findings.Add(database.DamagedSetting(ex.Problem));
            return 0;
        }

        // Faults of rows make it inconsistent, too: that is one finding.
        if (found.Inconsistency is { } inconsistency && !findings.Exists(x => x.Kind is "DanglingRows" or DatabaseFindings.LostBlocks))
            findings.Add(database.Inconsistent(inconsistency.Message));
        if (found.IsUnsettled && !findings.Exists(x => x.Kind == "InterruptedOperation"))
            findings.Add(database.Interrupted());

        var remote = new RemoteFindings(m_words, found.Lost, found.IsUnknown);
        // What is advised for lost blocks would forget volumes that nobody has looked for, or through.
        var lost = findings.FindAll(x => (found.Lost is null || found.IsUnknown) && x.Kind == DatabaseFindings.LostBlocks);
        findings.RemoveAll(lost.Contains);
        foreach (var volume in found.Missing)
            findings.Add(remote.Missing(volume, await AffectedAsync(volume, token).ConfigureAwait(false)));
        findings.AddRange(lost);
        foreach (var volume in found.Resized)
            findings.Add(
                remote.Damaged(
                    volume,
                    $"It should have {volume.Size} bytes and has another size.",
                    await AffectedAsync(volume, token).ConfigureAwait(false)
                )
            );
        foreach (var volume in found.GivenUp)
            findings.Add(remote.GivenUp(volume, await AffectedAsync(volume, token).ConfigureAwait(false)));
        foreach (var damaged in found.Damaged)
            findings.Add(
                damaged.Problem switch
                {
                    InvalidManifestException { IsOfOther: true } other => remote.OfOther(other.Volume, other.What()),
                    RemoteFileUnreadableException unread => remote.Unread(damaged.Volume.Name, unread),
                    _ => remote.Damaged(damaged.Volume, damaged.What, await AffectedAsync(damaged.Volume, token).ConfigureAwait(false)),
                }
            );
        findings.AddRange(found.Different.Select(remote.Different));
        findings.AddRange(found.EmptyVersions.Select(remote.EmptyVersion));
        findings.AddRange(found.Extra.Select(x => remote.Extra(x.Name)));
        return found.Volumes;
    }

    private Task<AffectedReport> AffectedAsync(RemoteVolumeEntry volume, CancellationToken token) =>
        new AffectedOperation(options.DatabasePath, options.Preset).RunAsync([volume.Name], token);

    private string Verdict(List<CheckFinding> findings, int volumes)
    {
        var problems = findings.Count(x => x.Severity == FindingSeverity.Problem);
        var hints = findings.Count - problems;
        var looked =
            options.Remote.Length == 0 ? "the database"
            : volumes > 0 ? $"the database and {SizeText.Count(volumes, "remote volume")}"
            : findings.Exists(x => x.Kind == RemoteFindings.OTHER_FOLDER) ? "the database and the address of the remote folder"
            : "the database alone";
        var also = hints switch
        {
            0 => "",
            1 => "; 1 thing could be better",
            _ => $"; {hints} things could be better",
        };
        return problems switch
        {
            0 => $"All is well with {looked}{also}.",
            _ => $"{SizeText.Count(problems, "problem was found", "problems were found")} in {looked}{also}.",
        };
    }
}
