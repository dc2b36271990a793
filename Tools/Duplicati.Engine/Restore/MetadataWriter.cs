using Duplicati.Engine.Common;
using Duplicati.Engine.Data;
using Duplicati.Library.Interface;

namespace Duplicati.Engine.Restore;

/// <summary>Applies metadata when all content is in: files, then symbolic links, then folders from the deepest up, so that no later write changes a time again.</summary>
/// <remarks>From the first link on, every path is checked again: it may lead through a link of the same list.</remarks>
internal sealed class MetadataWriter(RestorePlan plan, RestoreTarget target, MetadataSpool spool, IEngineProgress progress, bool replacesFiles)
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
        try
        {
            if (Read(id)?.SymlinkTarget is not { Length: > 0 } leadsTo)
                throw new IOException("its metadata names no target");
            RestoreTarget.MakeFolder(Path.GetDirectoryName(path)!);
            var old = new FileInfo(path);
            if (old.LinkTarget is not null || (replacesFiles && old.Exists))
                old.Delete();
            File.CreateSymbolicLink(path, leadsTo);
            return true;
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException or UserInformationException)
        {
            plan.LeftOut.Add(path);
            progress.Warning($"Left out the symbolic link {path}: {ex.Message}");
            return false;
        }
    }

    private MetadataBlob? Read(long id) =>
        spool.Read(id) is { } content && MetadataBlob.TryParse(content, out var metadata) ? metadata : null;
}
