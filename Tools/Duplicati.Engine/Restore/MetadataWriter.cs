using Duplicati.Engine.Common;
using Duplicati.Engine.Data;
using Duplicati.Library.Interface;

namespace Duplicati.Engine.Restore;

/// <summary>Applies metadata when all content is in: files, then symbolic links, then folders from the deepest up, so that no later write changes a time again.</summary>
/// <remarks>From the first link on, every path is checked again: it may lead through a link of the same list.</remarks>
internal sealed class MetadataWriter(RestorePlan plan, RestoreTarget target, MetadataSpool spool, IEngineProgress progress, DateTime versionTime)
{
    /// <summary>Applies everything. Links that could not be made are left out.</summary>
    /// <returns>How many links were made, or were there.</returns>
    internal int Apply()
    {
        foreach (var (id, path) in plan.Paths.Concat(plan.Present))
            Apply(id, path);
        var links = plan.Symlinks.Count(x => plan.Checked(target, x.Path, progress) is { } path && TryMakeLink(x.Id, path));
        foreach (var (id, path) in plan.Folders.OrderByDescending(x => x.Path.Length))
        {
            if (plan.Checked(target, path, progress) is not null)
                Apply(id, path);
        }

        return links;
    }

    private void Apply(long id, string path)
    {
        if (Read(id) is not { } metadata || !Path.Exists(path))
            return;

        foreach (var problem in MetadataApplier.Apply(path.Length > 1 ? path.TrimEnd(Path.DirectorySeparatorChar) : path, metadata, restoreOwner: false))
            progress.Warning(problem);
    }

    private bool TryMakeLink(long id, string path)
    {
        // As after a purge that replaced its metadata: the backup does not have more of it.
        if (Read(id)?.SymlinkTarget is not { Length: > 0 } leadsTo)
        {
            progress.Warning($"Left out the symbolic link {path}: its metadata names no target");
            return false;
        }

        try
        {
            RestoreTarget.MakeFolder(Path.GetDirectoryName(path)!);
            MakeLink(id, path, leadsTo);
            return true;
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException or UserInformationException)
        {
            plan.LeftOut.Add(path);
            progress.Warning($"Left out the symbolic link {path}: {ex.Message}");
            return false;
        }
    }

    // What is there stays until the link has been made under another name.
    private void MakeLink(long id, string path, string leadsTo)
    {
        if (new FileInfo(path).LinkTarget == leadsTo)
            return;
        var made = TargetNames.Temporary(path, leadsTo);
        if (TargetNames.IsLink(made))
            File.Delete(made);
        File.CreateSymbolicLink(made, leadsTo);
        try
        {
            if (!TargetNames.IsTaken(path))
            {
                Move(made, path);
            }
            else if (plan.Replaced.Contains(id))
            {
                Replace(made, path);
            }
            else
            {
                var free = TargetNames.Free(path, versionTime);
                progress.Warning($"{path} is something else already; restoring the symbolic link to {free}");
                Move(made, free);
            }
        }
        catch
        {
            File.Delete(made);
            throw;
        }
    }

    private static void Replace(string made, string path)
    {
        if (!Directory.Exists(made))
        {
            Move(made, path);
            return;
        }

        // The runtime moves a link to a folder as a folder, and then over nothing.
        var old = TargetNames.Temporary(path, "");
        Move(path, old);
        try
        {
            Move(made, path);
        }
        catch
        {
            Move(old, path);
            throw;
        }

        File.Delete(old);
    }

    private static void Move(string made, string path)
    {
        if (Directory.Exists(made))
            Directory.Move(made, path);
        else
            File.Move(made, path, overwrite: true);
    }

    private MetadataBlob? Read(long id) =>
        spool.Read(id) is { } content && MetadataBlob.TryParse(content, out var metadata) ? metadata : null;
}
