using Duplicati.Engine.Remote;
using Duplicati.Library.Main.Database;

namespace Duplicati.Engine.Repair;

/// <summary>
/// The volumes that a repair found damaged. What is left of them has been taken elsewhere when they are retired: they stay in the folder under
/// a name that is no volume's, unless their deletion was asked for.
/// </summary>
/// <param name="folder">The remote folder.</param>
/// <param name="delete">Whether they are deleted instead.</param>
internal sealed class DamagedVolumes(IRemoteFolder folder, bool delete)
{
    // Not behind the name: Duplicati would take that for the name of an unknown volume, and its repair would delete it.
    private const string PREFIX = "damaged-";

    private readonly Dictionary<string, RemoteVolumeEntry> m_volumes = new(StringComparer.Ordinal);
    private readonly List<RemoteVolumeEntry> m_deleted = [];

    /// <summary>Those that were deleted.</summary>
    internal IReadOnlyList<RemoteVolumeEntry> Deleted => m_deleted;

    /// <summary>Notes a volume that is there, but not whole.</summary>
    internal void Add(RemoteVolumeEntry volume) => m_volumes[volume.Name] = volume;

    /// <summary>Whether a volume is one of them.</summary>
    internal bool Contains(string name) => m_volumes.ContainsKey(name);

    /// <summary>Takes one out of the way.</summary>
    /// <exception cref="RemoteFileMissingException">It is gone already.</exception>
    internal async Task RetireAsync(string name, CancellationToken token)
    {
        if (delete)
        {
            await folder.DeleteAsync(name, token).ConfigureAwait(false);
            m_deleted.Add(m_volumes[name]);
            return;
        }

        var taken = (await folder.ListAsync(token).ConfigureAwait(false)).Select(x => x.Name).ToHashSet(StringComparer.Ordinal);
        var target = PREFIX + name;
        for (var i = 2; taken.Contains(target); i++)
            target = $"{PREFIX}{i}-{name}";
        await folder.MoveAsync(name, target, token).ConfigureAwait(false);
    }
}
