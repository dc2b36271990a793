// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Check;
using Duplicati.Engine.Common;
using Duplicati.Library.Interface;

namespace Duplicati.Engine.Errors;

/// <summary>A remote volume that cannot be used. Each cause is a derived type; the message names the volume and the remedy.</summary>
public abstract class VolumeException : UserInformationException
{
    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    /// <param name="problem">What is wrong, a sentence without the volume's name.</param>
    /// <param name="remedy">What the user can do, a sentence.</param>
    /// <param name="helpId">The stable name of the error.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    protected VolumeException(string volume, string problem, string remedy, string helpId, Exception? inner)
        : base($"{volume}: {problem} {remedy}", helpId, inner!)
    {
        Volume = volume;
        Problem = problem;
        Remedy = remedy;
    }

    /// <summary>The file name of the volume.</summary>
    public string Volume { get; }

    /// <summary>What is wrong, a sentence.</summary>
    public string Problem { get; }

    /// <summary>What the user can do about it.</summary>
    public string Remedy { get; }
}

/// <summary>Failures of volumes in the messages of whoever deals with them.</summary>
internal static class VolumeFailure
{
    /// <summary>What is wrong, without what to do.</summary>
    internal static string What(this Exception failure) =>
        failure is VolumeException volume ? $"{volume.Volume}: {volume.Problem}" : failure.Message;
}

/// <summary>The content of a volume contradicts its format: truncated, altered, impossible sizes, wrong hashes.</summary>
public sealed class CorruptVolumeException : VolumeException
{
    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    /// <param name="problem">What is wrong, a sentence.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    public CorruptVolumeException(string volume, string problem, Exception? inner = null)
        : base(volume, problem, Advice.DamagedVolume(volume), "CorruptVolume", inner) { }
}

/// <summary>A fetched file is not the one that was uploaded: its size or hash differs from the recorded one.</summary>
public sealed class VolumeChangedException : VolumeException
{
    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    /// <param name="problem">What differs, a sentence.</param>
    public VolumeChangedException(string volume, string problem)
        : base(volume, problem, Advice.DamagedVolume(volume), "VolumeChanged", null) { }
}

/// <summary>The manifest of a volume is missing, unreadable, of a later version, or does not fit the options of the backup.</summary>
public sealed class InvalidManifestException : VolumeException
{
    private const string REMEDY =
        "Check that the folder holds one backup only and that block size and hash options are those the backup was made with.";

    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    /// <param name="problem">What is wrong, a sentence.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    public InvalidManifestException(string volume, string problem, Exception? inner = null)
        : base(volume, problem, REMEDY, "InvalidManifest", inner) { }

    private InvalidManifestException(string volume, string problem, string remedy)
        : base(volume, problem, remedy, "InvalidManifest", null) { }

    /// <summary>Whether the volume was made with another block size or hash: it is not damaged, but of another backup.</summary>
    public bool IsOfOther { get; private init; }

    /// <summary>Makes the error of a volume of another backup.</summary>
    /// <param name="volume">The file name of the volume.</param>
    /// <param name="problem">What differs, a sentence.</param>
    internal static InvalidManifestException OfOther(string volume, string problem) =>
        new(volume, problem, Advice.OtherBackup()) { IsOfOther = true };
}

/// <summary>A volume of a format this program does not know: another compression, encryption or version of it.</summary>
public sealed class UnsupportedVolumeException : VolumeException
{
    private const string REMEDY = "Use Duplicati itself for this backup.";

    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    /// <param name="problem">What is not known, a sentence.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    public UnsupportedVolumeException(string volume, string problem, Exception? inner = null)
        : base(volume, problem, REMEDY, "UnsupportedVolume", inner) { }
}

/// <summary>A volume is encrypted and no passphrase was given.</summary>
public sealed class MissingPassphraseException : VolumeException
{
    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    public MissingPassphraseException(string volume)
        : base(
            volume,
            "The file is encrypted and no passphrase was given.",
            "Give the passphrase the backup was made with.",
            "MissingPassphrase",
            null
        ) { }
}

/// <summary>The passphrase does not open a volume. Raised before any content is decrypted.</summary>
public sealed class WrongPassphraseException : VolumeException
{
    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    public WrongPassphraseException(string volume)
        : base(
            volume,
            "The passphrase is wrong, or the head of the file is damaged.",
            Advice.UnopenedVolume(volume),
            "WrongPassphrase",
            null
        ) { }
}

/// <summary>A setting that a database has stored is missing, is no such setting, or contradicts the volumes. Nothing was done.</summary>
public sealed class DamagedSettingException : UserInformationException
{
    /// <summary>Makes the error.</summary>
    /// <param name="path">The database.</param>
    /// <param name="problem">The setting and what is wrong with it, without a full stop.</param>
    public DamagedSettingException(string path, string problem)
        : base($"The database {path} is damaged: {problem}. {Advice.RecreateDatabase()}", "DatabaseIsDamaged") => Problem = problem;

    /// <summary>The setting and what is wrong with it.</summary>
    public string Problem { get; }
}

/// <summary>A path of a backup that would lead out of the folder that is restored to. Nothing was created.</summary>
public sealed class UnsafePathException : UserInformationException
{
    /// <summary>Makes the error.</summary>
    /// <param name="path">The path.</param>
    /// <param name="problem">What is wrong, without a full stop.</param>
    public UnsafePathException(string path, string problem)
        : base($"'{path}' is not restored: {problem}. Restore it alone to an empty folder if it is wanted.", "UnsafePath") { }
}
