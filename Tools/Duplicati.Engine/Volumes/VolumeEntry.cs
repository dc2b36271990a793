// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Volumes;

/// <summary>What a container says of one of its entries.</summary>
/// <param name="Name">The full name. Data: nothing is ever written to a place of that name.</param>
/// <param name="Length">Bytes of the content.</param>
/// <param name="PackedLength">Bytes that it takes in the container.</param>
/// <param name="Offset">Where its header begins in a zip container, and its content in a tar one.</param>
/// <param name="Method">How the content is packed.</param>
/// <param name="Checksum">The CRC-32 of the content; null where the format has none.</param>
internal readonly record struct VolumeEntry(string Name, long Length, long PackedLength, long Offset, ZipMethod Method, uint? Checksum);
