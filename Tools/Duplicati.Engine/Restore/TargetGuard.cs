using Duplicati.Library.Interface;

namespace Duplicati.Engine.Restore;

/// <summary>Keeps everything a restore writes inside its target folder, whatever the file list says.</summary>
/// <param name="root">The target folder, as a full path.</param>
internal sealed class TargetGuard(string root)
{
    private readonly string m_root = root.EndsWith(Path.DirectorySeparatorChar) ? root : root + Path.DirectorySeparatorChar;

    /// <summary>The full path to write to, or null with the reason when the entry points outside.</summary>
    internal string? Check(string target, out string reason)
    {
        reason = "";
        if (target.Contains('\0', StringComparison.Ordinal))
        {
            reason = "the path holds a NUL character";
            return null;
        }

        var full = Path.GetFullPath(target);
        if (!full.StartsWith(m_root, StringComparison.Ordinal) && full + Path.DirectorySeparatorChar != m_root)
        {
            reason = "the path points outside the target folder (PathTraversalDetected)";
            return null;
        }

        if (!LeadsThroughLink(full))
            return full;
        reason = "the path leads through a symbolic link";
        return null;
    }

    /// <summary>Makes the folder of a checked path.</summary>
    /// <exception cref="UserInformationException">A file is where a folder must be; help id <c>RestoreTargetInTheWay</c>.</exception>
    internal static void MakeFolder(string path)
    {
        try
        {
            Directory.CreateDirectory(path);
        }
        catch (IOException ex) when (File.Exists(path))
        {
            throw new UserInformationException($"A file named {path} is in the way of a folder to restore; move it away.", "RestoreTargetInTheWay", ex);
        }
    }

    // A link inside the target that an earlier entry or anyone else made would carry later entries out of it.
    private bool LeadsThroughLink(string full)
    {
        for (var parent = Path.GetDirectoryName(full.TrimEnd(Path.DirectorySeparatorChar)); parent is not null && parent.Length > m_root.Length - 1; parent = Path.GetDirectoryName(parent))
        {
            if (new FileInfo(parent).LinkTarget is not null)
                return true;
        }

        return false;
    }
}
