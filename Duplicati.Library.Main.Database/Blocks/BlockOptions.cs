using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>How much memory a connection's block structures may take. Set before the first block is looked up.</summary>
internal sealed class BlockOptions
{
    /// <summary>Enough for ten million blocks with full keys.</summary>
    internal const long DefaultMapBytes = 640L << 20;

    /// <summary>For machines with little memory: 700,000 blocks with full keys, four million with fingerprints.</summary>
    internal const long SmallMapBytes = 48L << 20;

    /// <summary>Most bytes of the slots of <see cref="BlockMap"/>; 0 keeps nothing in memory and asks the table each time.</summary>
    internal long MapBytes { get; set; } = DefaultMapBytes;

    /// <summary>Most new blocks held back before they are written; about 120 bytes each.</summary>
    internal int PendingRows { get; set; } = 1 << 16;

    /// <summary>The options of a connection.</summary>
    internal static BlockOptions Of(DatabaseSession session) => session.Service(static _ => new BlockOptions());
}
