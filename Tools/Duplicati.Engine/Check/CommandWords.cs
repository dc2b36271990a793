using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;

namespace Duplicati.Engine.Check;

/// <summary>Commands of the tool for one backup, as they are typed.</summary>
/// <param name="options">The backup; without a remote folder it has to be put in.</param>
/// <param name="access">The options that say how volumes are encrypted and named.</param>
internal sealed class CommandWords(EngineOptions options, IReadOnlyList<string> access)
{
    /// <summary>A command that works on the remote folder and the database.</summary>
    internal string Backup(string command, params string[] more) =>
        CommandLine.Of([command, options.Remote.Length > 0 ? options.Remote : "REMOTE", "--dbpath", options.DatabasePath, .. access, .. more]);

    /// <summary>A command that works on the database file.</summary>
    internal string Database(string command) => CommandLine.Of([command, options.DatabasePath]);
}
