// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Remote;

namespace Duplicati.UnitTest.Engine.Operations;

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
