#nullable enable

using System.Collections.Generic;

namespace Duplicati.Library.Main.Database.FileLists;

/// <summary>Some entries of a fileset.</summary>
/// <param name="Entries">The entries.</param>
/// <param name="Next">The position in the order where the next page begins.</param>
internal readonly record struct FileListPage(List<FileListEntry> Entries, int Next);
