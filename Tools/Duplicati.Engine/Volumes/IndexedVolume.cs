// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Text;
using System.Text.Json;
using Duplicati.Engine.Errors;

namespace Duplicati.Engine.Volumes;

/// <summary>What an index says about one block volume. Its blocks are read forward, once; only then its hash and size are known.</summary>
/// <remarks>
/// Valid until the next volume of the index is asked for. Damage that still is a valid description shows at its end only, by the
/// checksum of the container: what was made of the blocks before an error must be rolled back. Not safe for concurrent use.
/// </remarks>
public sealed class IndexedVolume : IDisposable
{
    private const int MAX_SIZE_DIGITS = 10;

    // What so few take does not matter.
    private const int FewBlocks = 16;

    private readonly JsonTokenStream m_json;
    private readonly int m_digestSize;
    private readonly int m_base64Length;
    private readonly long m_blocksize;
    private long m_blocksLeft;
    private string? m_hash;
    private long m_size;
    private bool m_started;
    private bool m_ended;

    /// <param name="name">The block volume.</param>
    /// <param name="json">What the index says of it, owned.</param>
    /// <param name="digestSize">Bytes of a digest.</param>
    /// <param name="blocksize">Most bytes of a block.</param>
    /// <param name="packedBytes">
    /// Bytes of the description as it is packed. Digests cannot be compressed and none is there twice, so that it cannot hold more of them;
    /// one that says so would fill the memory with the same few again and again.
    /// </param>
    internal IndexedVolume(VolumeName name, JsonTokenStream json, int digestSize, long blocksize, long packedBytes)
    {
        Name = name;
        m_json = json;
        m_digestSize = digestSize;
        m_base64Length = HashEncoding.Base64Length(digestSize);
        m_blocksize = blocksize;
        m_blocksLeft = FewBlocks + (packedBytes / digestSize);
    }

    /// <summary>The name of the block volume.</summary>
    public VolumeName Name { get; }

    /// <summary>The file hash, Base64, of the uploaded file; null if the index does not say.</summary>
    /// <exception cref="InvalidOperationException">The blocks were not read to their end.</exception>
    public string? Hash => m_ended ? m_hash : throw BlocksFirst();

    /// <summary>The size of the uploaded file, bytes; 0 if the index does not say.</summary>
    /// <exception cref="InvalidOperationException">The blocks were not read to their end.</exception>
    public long Size => m_ended ? m_size : throw BlocksFirst();

    /// <summary>Reads the blocks, with hashes as texts.</summary>
    /// <returns>The Base64 hash and the size in bytes of each block, in the order of the index.</returns>
    /// <exception cref="CorruptVolumeException">While enumerating: the description is invalid.</exception>
    public IEnumerable<KeyValuePair<string, long>> ReadBlocks()
    {
        var digest = new byte[m_digestSize];
        while (ReadBlock(digest, out var size))
            yield return new(Convert.ToBase64String(digest), size);
    }

    /// <summary>Reads as many blocks as fit, without allocating.</summary>
    /// <param name="digests">Takes the raw digests, one after the other.</param>
    /// <param name="sizes">Takes the sizes, bytes.</param>
    /// <returns>How many blocks were read; 0 at the end.</returns>
    /// <exception cref="CorruptVolumeException">The description is invalid.</exception>
    public int ReadBlocks(Span<byte> digests, Span<long> sizes)
    {
        var most = Math.Min(digests.Length / m_digestSize, sizes.Length);
        ArgumentOutOfRangeException.ThrowIfZero(most, nameof(digests));
        var count = 0;
        while (count < most && ReadBlock(digests.Slice(count * m_digestSize, m_digestSize), out sizes[count]))
            count++;
        return count;
    }

    /// <summary>Reads the next block, without allocating.</summary>
    /// <param name="digest">Takes the raw digest, of exactly the digest size.</param>
    /// <param name="size">The size, bytes.</param>
    /// <returns>False at the end.</returns>
    /// <exception cref="CorruptVolumeException">The description is invalid.</exception>
    public bool ReadBlock(Span<byte> digest, out long size)
    {
        size = 0;
        if (m_ended)
            return false;
        if (m_blocksLeft-- < 0)
            throw m_json.Error("it has more blocks than can be in so few bytes");
        if (m_started && TryReadPlain(digest, out size))
            return true;
        Start();
        if (m_json.Next() == JsonTokenType.StartObject)
        {
            size = ReadAny(digest);
            return true;
        }

        if (m_json.TokenType != JsonTokenType.EndArray)
            throw m_json.Error("a block is not an object");
        ReadEnd();
        return false;
    }

    /// <inheritdoc/>
    public void Dispose() => m_json.Dispose();

    /// <summary>
    /// Reads a block in the spelling every writer uses, straight from the buffer: three times as fast as token by token. It
    /// starts with the comma, so a token was read before it and the state of the token reader stays right.
    /// </summary>
    private bool TryReadPlain(Span<byte> digest, out long size)
    {
        size = 0;
        var text = m_json.Buffered;
        var start = ",{\"hash\":\""u8;
        var middle = "\",\"size\":"u8;
        var sizeAt = start.Length + m_base64Length + middle.Length;
        if (
            text.Length < sizeAt + MAX_SIZE_DIGITS + 1
            || !text.StartsWith(start)
            || !text[(start.Length + m_base64Length)..].StartsWith(middle)
        )
            return false;
        var number = text.Slice(sizeAt, MAX_SIZE_DIGITS + 1);
        if (
            !char.IsAsciiDigit((char)number[0])
            || !Utf8Parser.TryParse(number, out size, out var digits)
            || digits > MAX_SIZE_DIGITS
            || number[digits] != '}'
            || size > m_blocksize
            || (digits > 1 && number[0] == '0')
        )
            return false;
        if (!HashEncoding.TryDecode(text.Slice(start.Length, m_base64Length), digest))
            return false;
        m_json.PassOver(sizeAt + digits + 1);
        return true;
    }

    private long ReadAny(Span<byte> digest)
    {
        m_json.Property("hash"u8);
        m_json.Expect(JsonTokenType.String);
        if (!HashEncoding.TryDecode(m_json.RawValue, digest))
            throw m_json.Error($"a block hash is not Base64 of {m_digestSize} bytes");
        m_json.Property("size"u8);
        var size = m_json.NextInt64();
        if (size < 0 || size > m_blocksize)
            throw m_json.Error($"a block has {size} bytes, the block size is {m_blocksize}");
        m_json.SkipOpen(1);
        return size;
    }

    private void Start()
    {
        if (m_started)
            return;
        m_started = true;
        m_json.Expect(JsonTokenType.StartObject);
        m_json.Property("blocks"u8);
        m_json.Expect(JsonTokenType.StartArray);
    }

    private void ReadEnd()
    {
        var hasHash = false;
        var hasSize = false;
        while (m_json.Next() == JsonTokenType.PropertyName)
        {
            if (m_json.ValueIs("volumehash"u8))
            {
                m_hash = m_json.NextString();
                hasHash = true;
            }
            else if (m_json.ValueIs("volumesize"u8))
            {
                m_size = m_json.NextInt64();
                hasSize = true;
            }
            else
            {
                m_json.SkipValue();
            }
        }

        if (m_size < 0 || hasHash != hasSize)
            throw m_json.Error("hash and size of the volume do not fit together");
        m_json.Read();
        m_ended = true;
    }

    private static InvalidOperationException BlocksFirst() => new("The blocks of a volume are read before its hash and size.");
}
