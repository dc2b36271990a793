// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Engine.Common;

/// <summary>A file that a command makes: there whole or not at all, and never in the place of another.</summary>
internal static class NewFile
{
    /// <summary>Refuses a name that is taken.</summary>
    /// <exception cref="UserInformationException">Help id <c>OutputFileExists</c>.</exception>
    internal static void RequireFree(string target)
    {
        if (Path.Exists(target))
            throw new UserInformationException($"The file {target} exists; name another, it is not overwritten.", "OutputFileExists");
    }

    /// <summary>Makes the file under another name and then gives it its own.</summary>
    /// <param name="target">The file.</param>
    /// <param name="write">Gets the name to write to.</param>
    /// <exception cref="UserInformationException">Help id <c>OutputFileExists</c>.</exception>
    internal static async Task WriteAsync(string target, Func<string, Task> write)
    {
        // Not in the place of another file either.
        var incomplete = $"{target}.{Guid.NewGuid():N}.incomplete";
        try
        {
            await write(incomplete).ConfigureAwait(false);
            RequireFree(target);
            File.Move(incomplete, target, overwrite: false);
        }
        catch
        {
            File.Delete(incomplete);
            throw;
        }
    }
}
