// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable disable // the baseline has no nullability here

using System;
using Duplicati.Library.Interface;

namespace Duplicati.Library.Main.Database;

/// <summary>A file at the backup destination. Two objects are equal only if they are the same object.</summary>
public class RemoteVolume : IRemoteVolume
{
    /// <summary>Makes a volume from an entry of a listing of the destination.</summary>
    /// <param name="file">The entry, kept in <see cref="File"/>.</param>
    /// <param name="hash">The Base64 file hash, if it is known.</param>
    public RemoteVolume(IFileEntry file, string hash = null)
        : this(file?.Name, hash, file?.Size ?? throw new ArgumentNullException(nameof(file))) => File = file;

    /// <summary>Makes a volume from what the database knows.</summary>
    /// <param name="name">The file name.</param>
    /// <param name="hash">The Base64 file hash.</param>
    /// <param name="size">The size in bytes.</param>
    public RemoteVolume(string name, string hash, long size)
    {
        Name = name;
        Hash = hash;
        Size = size;
    }

    /// <inheritdoc/>
    public string Name { get; private set; }

    /// <inheritdoc/>
    public string Hash { get; private set; }

    /// <inheritdoc/>
    public long Size { get; private set; }

    /// <summary>The entry of the listing; null for a volume that was read from the database.</summary>
    public IFileEntry File { get; private set; }
}

/// <summary>A file at the backup destination, as far as the database knows it.</summary>
public interface IRemoteVolume
{
    /// <summary>The file name.</summary>
    string Name { get; }

    /// <summary>The Base64 file hash of the uploaded file; null or empty while it is not known.</summary>
    string Hash { get; }

    /// <summary>The size of the uploaded file in bytes, -1 while it is not known.</summary>
    long Size { get; }
}

/// <summary>A row of the registry of remote volumes. The order of the properties is the order in the verification file.</summary>
/// <remarks>
/// <see cref="Empty"/> and the default value both stand for a missing row, and differ: each member that looks a volume up says which it
/// returns.
/// </remarks>
#pragma warning disable CA1815 // value equality of structs is the contract; operators are not
public struct RemoteVolumeEntry : IRemoteVolume
#pragma warning restore CA1815
{
    /// <summary>No volume: every number is -1, every text null.</summary>
    public static readonly RemoteVolumeEntry Empty = new(
        -1,
        null,
        null,
        -1,
        (RemoteVolumeType)(-1),
        (RemoteVolumeState)(-1),
        default,
        default,
        null
    );

    /// <summary>Makes an entry.</summary>
    /// <param name="id">The row id.</param>
    /// <param name="name">The file name.</param>
    /// <param name="hash">The Base64 file hash, or null.</param>
    /// <param name="size">The size in bytes, or -1.</param>
    /// <param name="type">What the volume holds.</param>
    /// <param name="state">How far it has come.</param>
    /// <param name="deleteGracePeriod">Until when the row of a deleted volume is kept.</param>
    /// <param name="archiveTime">Since when it is archived; the epoch if it is not.</param>
    /// <param name="lockExpirationTime">Until when it is locked; the epoch if no lock is known.</param>
    public RemoteVolumeEntry(
        long id,
        string name,
        string hash,
        long size,
        RemoteVolumeType type,
        RemoteVolumeState state,
        DateTime deleteGracePeriod,
        DateTime archiveTime,
        DateTime? lockExpirationTime
    )
    {
        ID = id;
        Name = name;
        Hash = hash;
        Size = size;
        Type = type;
        State = state;
        DeleteGracePeriod = deleteGracePeriod;
        ArchiveTime = archiveTime;
        LockExpirationTime = lockExpirationTime;
    }

    /// <summary>The row id.</summary>
    public long ID { get; private set; }

    /// <inheritdoc/>
    public string Name { get; private set; }

    /// <inheritdoc/>
    public string Hash { get; private set; }

    /// <inheritdoc/>
    public long Size { get; private set; }

    /// <summary>What the volume holds.</summary>
    public RemoteVolumeType Type { get; private set; }

    /// <summary>How far it has come.</summary>
    public RemoteVolumeState State { get; private set; }

    /// <summary>Until when the row of a deleted volume is kept.</summary>
    public DateTime DeleteGracePeriod { get; private set; }

    /// <summary>Since when it is archived; the epoch if it is not.</summary>
    public DateTime ArchiveTime { get; private set; }

    /// <summary>Until when it is locked; the epoch if no lock is known.</summary>
    public DateTime? LockExpirationTime { get; private set; }
}
