using System.Text;
using System.Text.RegularExpressions;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>Reads what the command line says about peers, and writes words as they are typed.</summary>
internal static partial class PeerArguments
{
    private const string PassphraseOption = "--passphrase";

    /// <summary>Reads the peers and their options.</summary>
    /// <param name="peers">Each <c>NAME=COMMAND</c>.</param>
    /// <param name="options">Each <c>NAME=OPTIONS</c> or <c>NAME:OPERATION=OPTIONS</c>.</param>
    /// <exception cref="EndToEndException">One of them is not understood.</exception>
    public static IReadOnlyList<Peer> Parse(IReadOnlyCollection<string> peers, IReadOnlyCollection<string> options)
    {
        var read = peers.Select(ParsePeer).ToList();
        if (read.GroupBy(peer => peer.Name).FirstOrDefault(group => group.Count() > 1) is { } twice)
            throw new EndToEndException($"There are two peers {twice.Key}; give each a name of its own.");

        foreach (var text in options)
        {
            var (name, given) = ParseOptions(text);
            var place = read.FindIndex(peer => peer.Name == name);
            if (place < 0)
                throw new EndToEndException($"--peer-options {text}: there is no peer {name}.");
            read[place] = read[place] with { Options = [.. read[place].Options, given] };
        }

        return read;
    }

    /// <summary>Splits a text into words at spaces; what stands in quotes, single or double, is one word.</summary>
    /// <exception cref="EndToEndException">A quote is not closed.</exception>
    public static IReadOnlyList<string> Split(string text)
    {
        var words = new List<string>();
        var word = new StringBuilder();
        var (quote, any) = ('\0', false);
        foreach (var letter in text)
        {
            if (quote == '\0' && letter is '"' or '\'')
                (quote, any) = (letter, true);
            else if (quote != '\0' && letter == quote)
                quote = '\0';
            else if (quote != '\0' || !char.IsWhiteSpace(letter))
                word.Append(letter);
            else if (any || word.Length > 0)
            {
                words.Add(word.ToString());
                word.Clear();
                any = false;
            }
        }

        if (quote != '\0')
            throw new EndToEndException($"A quote is not closed in: {text}");
        if (any || word.Length > 0)
            words.Add(word.ToString());
        return words;
    }

    /// <summary>A word as a shell takes it.</summary>
    public static string Quote(string word) =>
        word.Length > 0 && word.All(letter => char.IsAsciiLetterOrDigit(letter) || "-_=./:,+@%\\".Contains(letter, StringComparison.Ordinal)) ? word : $"\"{word}\"";

    private static Peer ParsePeer(string text)
    {
        var equals = text.IndexOf('=', StringComparison.Ordinal);
        if (equals < 0 || !Name().IsMatch(text[..equals]))
            throw new EndToEndException($"--peer {text}: write NAME=COMMAND, with letters, digits, dots and dashes in the name.");

        var command = text[(equals + 1)..];
        // A path may hold spaces.
        var words = File.Exists(command) ? [command] : Split(command);
        if (words.Count == 0)
            throw new EndToEndException($"--peer {text}: there is no command.");
        RefusePassphrase(words);
        return new Peer(text[..equals], words, []);
    }

    private static (string Name, PeerOptions Options) ParseOptions(string text)
    {
        var equals = text.IndexOf('=', StringComparison.Ordinal);
        var head = equals < 0 ? [] : text[..equals].Split(':');
        if (head is not ([_] or [_, _]))
            throw new EndToEndException($"--peer-options {text}: write NAME=OPTIONS or NAME:OPERATION=OPTIONS.");
        if (head is [_, var operation] && TimedOperation.All.All(known => known.Key != operation))
            throw new EndToEndException($"--peer-options {text}: there is no operation {operation}; there are {string.Join(", ", TimedOperation.All.Select(known => known.Key))}.");

        var words = Split(text[(equals + 1)..]);
        RefusePassphrase(words);
        return (head[0], new PeerOptions(head.ElementAtOrDefault(1), words));
    }

    // It would be shown in the report.
    private static void RefusePassphrase(IEnumerable<string> words)
    {
        if (words.Any(word => word.StartsWith(PassphraseOption, StringComparison.OrdinalIgnoreCase)))
            throw new EndToEndException("Give the passphrase by --passphrase-env or --passphrase-file, because commands are shown in reports.");
    }

    [GeneratedRegex("^[A-Za-z0-9._-]+$")]
    private static partial Regex Name();
}
