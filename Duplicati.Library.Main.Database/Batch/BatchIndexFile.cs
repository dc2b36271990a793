#nullable enable

using System.Collections.Generic;

namespace Duplicati.Library.Main.Database;

/// <summary>What a parsed index file says, in binary form. The memory must not change while the file is being taken in; it is not kept.</summary>
/// <param name="Volumes">The block volumes it describes, in its order.</param>
/// <param name="Blocklists">The blocklists in it whose content was found to fit their hash.</param>
internal sealed record BatchIndexFile(IReadOnlyList<BatchVolume> Volumes, IReadOnlyList<BatchBlocklist> Blocklists);
