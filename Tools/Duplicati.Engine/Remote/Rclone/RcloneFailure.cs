// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections;
using System.Text.RegularExpressions;

namespace Duplicati.Engine.Remote.Rclone;

/// <summary>Finds out from exit code and last lines of rclone what went wrong, and leaves secrets out of what is shown.</summary>
internal static partial class RcloneFailure
{
    private const int MostLetters = 600;
    private const int ShortestSecret = 4;

    /// <summary>The error that a failed run means.</summary>
    internal static RemoteException Of(RcloneAddress address, RcloneResult result)
    {
        var said = Said(result);
        var all = string.Join('\n', result.LastLines);
        if (Configuration().IsMatch(all))
            return new RcloneException(
                $"rclone cannot use a remote '{address.Name}'. 'rclone listremotes' shows the names it knows, 'rclone config' makes one; an encrypted configuration needs RCLONE_CONFIG_PASS. rclone says: {said}",
                "RcloneNotConfigured"
            );
        if (result.IsFolderMissing)
            return new RemoteFolderMissingException(address.ToString());
        if (Access().IsMatch(all))
            return new RcloneException(
                $"'{address}' refused access. Check user, password and permissions with 'rclone config', or renew them with 'rclone config reconnect {address.Name}:'. rclone says: {said}",
                "RcloneAccessDenied"
            );
        return Network().IsMatch(all)
            ? new RcloneException($"'{address}' cannot be reached. Check the network, and try again. rclone says: {said}", "RcloneNetwork")
            : new RcloneException($"rclone failed on '{address}' with exit code {result.ExitCode}. It says: {said}");
    }

    /// <summary>Whether a run that fetches had no room on the local disk.</summary>
    internal static bool IsDiskFull(RcloneResult result) => result.LastLines.Any(x => DiskFull().IsMatch(x));

    /// <summary>The last lines of a run as one text without secrets and control characters.</summary>
    internal static string Said(RcloneResult result)
    {
        var text = string.Join("; ", result.LastLines.Select(x => Timestamp().Replace(x, "")));
        foreach (var secret in Secrets())
            text = text.Replace(secret, "***", StringComparison.Ordinal);
        text = Pair().Replace(Query().Replace(UserInfo().Replace(text, "$1***@"), "?***"), "$1***");
        text = string.Concat(text.Select(x => char.IsControl(x) ? ' ' : x));
        return text.Length == 0 ? "nothing"
            : text.Length > MostLetters ? "..." + text[^MostLetters..]
            : text;
    }

    // rclone takes passwords and keys from variables of these names.
    private static IEnumerable<string> Secrets() =>
        Environment
            .GetEnvironmentVariables()
            .Cast<DictionaryEntry>()
            .Where(x => SecretName().IsMatch((string)x.Key))
            .Select(x => x.Value as string ?? "")
            .Where(x => x.Length >= ShortestSecret);

    [GeneratedRegex(
        "didn't find section in config file|decrypt config|unable to decrypt|config file is encrypted|failed to load config|RCLONE_CONFIG_PASS",
        RegexOptions.IgnoreCase
    )]
    private static partial Regex Configuration();

    [GeneratedRegex(
        @"\b40[137]\b|unauthori[sz]ed|forbidden|access ?denied|permission denied|unable to authenticate|authentication fail|login incorrect|couldn't log ?in|invalid_grant|cannot fetch token|token expired|SignatureDoesNotMatch|InvalidAccessKeyId",
        RegexOptions.IgnoreCase
    )]
    private static partial Regex Access();

    [GeneratedRegex(
        @"connection (refused|reset|timed out)|no such host|i/o timeout|network is unreachable|no route to host|name resolution|deadline exceeded|TLS handshake|x509|unexpected EOF|\b50[234]\b",
        RegexOptions.IgnoreCase
    )]
    private static partial Regex Network();

    [GeneratedRegex("no space left on device|not enough space on the disk|disk quota exceeded", RegexOptions.IgnoreCase)]
    private static partial Regex DiskFull();

    [GeneratedRegex(@"^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d (ERROR|CRITICAL|Fatal error)?\s*:?\s*")]
    private static partial Regex Timestamp();

    [GeneratedRegex(@"(\w+://)[^/\s@]*@")]
    private static partial Regex UserInfo();

    [GeneratedRegex(@"\?[^\s""']+")]
    private static partial Regex Query();

    [GeneratedRegex(
        @"((?:pass(?:word|phrase)?|secret\w*|token|api[-_]?key|access[-_]?key\w*|authorization|bearer|signature)\s*[=:""]\s*)[^\s;,""]+(?: [A-Za-z0-9+/=_.-]{16,})?",
        RegexOptions.IgnoreCase
    )]
    private static partial Regex Pair();

    [GeneratedRegex("^RCLONE_.*(PASS|SECRET|TOKEN|KEY|CREDENTIAL)|^(AWS_SECRET_ACCESS_KEY|AWS_SESSION_TOKEN)$", RegexOptions.IgnoreCase)]
    private static partial Regex SecretName();
}

/// <summary>rclone could not do what was asked. Each cause with a remedy of its own has a help id.</summary>
public class RcloneException : RemoteException
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">What is wrong and what the user can do.</param>
    /// <param name="helpId">The stable name of the error.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    public RcloneException(string message, string helpId = "RcloneFailed", Exception? inner = null)
        : base(message, helpId, inner) { }
}

/// <summary>A file arrived other than it was sent.</summary>
public sealed class RcloneTransferException : RcloneException
{
    /// <summary>Makes the error.</summary>
    /// <param name="address">The remote folder.</param>
    /// <param name="name">The file.</param>
    /// <param name="difference">How it differs.</param>
    public RcloneTransferException(string address, string name, string difference)
        : base(
            $"'{name}' did not come through whole between here and '{address}': {difference}. Try again; if it stays so, the remote or rclone is at fault.",
            "RcloneTransfer"
        ) { }
}
