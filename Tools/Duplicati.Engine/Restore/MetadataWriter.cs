using Duplicati.Engine.Common;
using Duplicati.Engine.Data;

namespace Duplicati.Engine.Restore;

/// <summary>Applies metadata when all content is in: files, then symbolic links, then folders from the deepest up, so that no later write changes a time again.</summary>
internal sealed class MetadataWriter(RestorePlan plan, MetadataSpool spool, IEngineProgress progress, bool replacesFiles)
{
    internal void Apply()
    {
        foreach (var (id, path) in plan.Paths.Concat(plan.Present))
            Apply(id, path);
        // A link to a folder is listed with a separator at its end.
        foreach (var (id, path) in plan.Symlinks)
            MakeLink(id, path.TrimEnd(Path.DirectorySeparatorChar));
        foreach (var (id, path) in plan.Folders.OrderByDescending(x => x.Path.Length))
            Apply(id, path);
    }

    private void Apply(long id, string path)
    {
        if (Read(id) is not { } metadata || !Path.Exists(path))
            return;

        foreach (var problem in MetadataApplier.Apply(path.Length > 1 ? path.TrimEnd(Path.DirectorySeparatorChar) : path, metadata, restoreOwner: false))
            progress.Warning(problem);
    }

    private void MakeLink(long id, string path)
    {
        if (Read(id)?.SymlinkTarget is not { Length: > 0 } target)
        {
            progress.Warning($"Left out the symbolic link {path}: its metadata names no target");
            return;
        }

        try
        {
            RestoreTarget.MakeFolder(Path.GetDirectoryName(path)!);
            var old = new FileInfo(path);
            if (old.LinkTarget is not null || (replacesFiles && old.Exists))
                old.Delete();
            File.CreateSymbolicLink(path, target);
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            progress.Warning($"Left out the symbolic link {path}: {ex.Message}");
        }
    }

    private MetadataBlob? Read(long id) =>
        spool.Read(id) is { } content && MetadataBlob.TryParse(content, out var metadata) ? metadata : null;
}
