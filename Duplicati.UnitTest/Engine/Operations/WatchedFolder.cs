// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Remote;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>A remote folder that tells before it fetches a file.</summary>
internal class WatchedFolder(IRemoteFolder folder, Action<string> fetching) : ForwardingFolder(folder)
{
    /// <summary>From now on the folder keeps files back, as one that may not be read.</summary>
    internal static void KeepBack(params string[] names) =>
        Fail(name =>
            names.Contains(name)
                ? new RemoteFileUnreadableException("folder", name, new UnauthorizedAccessException("Access is denied."))
                : null
        );

    /// <summary>From now on the disk of the folder cannot read a file.</summary>
    internal static void Spoil(string name) => Fail(x => x == name ? new IOException("Input/output error", 5) : null);

    private static void Fail(Func<string, Exception?> failure) =>
        RemoteFolder.Through.Value = folder => new WatchedFolder(folder, name => _ = failure(name) is { } ex ? throw ex : 0);

    public override Task<IReadOnlyList<RemoteFile>> ListAllAsync(CancellationToken token) => ListAsync(token);

    public override Task GetAsync(string name, string localPath, CancellationToken token)
    {
        fetching(name);
        return base.GetAsync(name, localPath, token);
    }

    public override Stream? OpenLocal(string name)
    {
        fetching(name);
        return base.OpenLocal(name);
    }
}

/// <summary>A folder on a disk that cannot read some bytes of one file, nor any others together with them.</summary>
internal sealed class BadSectorFolder(IRemoteFolder folder, string name, params (long From, long To)[] bad)
    : WatchedFolder(folder, static _ => { })
{
    /// <summary>What the folder says when it is asked for its files; null to list them.</summary>
    internal Exception? Outage { get; init; }

    public override Stream? OpenLocal(string file) => file == name ? new BadFile(Path.Combine(Address, file), bad) : base.OpenLocal(file);

    public override Task<IReadOnlyList<RemoteFile>> ListAsync(CancellationToken token) =>
        Outage is null ? base.ListAsync(token) : throw Outage;

    private sealed class BadFile(string path, (long From, long To)[] bad)
        : FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0)
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            var (from, to) = (Position, Position + buffer.Length);
            // EIO.
            return bad.Any(x => x.From < to && from < x.To)
                ? throw new IOException("Input/output error", 5)
                : base.ReadAsync(buffer, cancellationToken);
        }
    }
}
