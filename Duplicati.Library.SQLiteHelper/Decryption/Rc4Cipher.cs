// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;

namespace Duplicati.Library.SQLiteHelper.Decryption;

/// <summary>The RC4 stream cipher (RFC 6229 has test vectors). Broken as protection; needed to read old files only.</summary>
/// <remarks>Encrypting and decrypting are the same. Not thread safe. 256 bytes of state.</remarks>
internal sealed class Rc4Cipher
{
    private const int STATES = 256;

    private readonly byte[] m_state = new byte[STATES];
    private byte m_i;
    private byte m_j;

    /// <summary>Starts a key stream.</summary>
    /// <param name="key">1 to 256 bytes.</param>
    public Rc4Cipher(ReadOnlySpan<byte> key)
    {
        for (var i = 0; i < STATES; i++)
            m_state[i] = (byte)i;
        byte j = 0;
        for (var i = 0; i < STATES; i++)
        {
            j += (byte)(m_state[i] + key[i % key.Length]);
            (m_state[i], m_state[j]) = (m_state[j], m_state[i]);
        }
    }

    /// <summary>Applies the next bytes of the key stream in place.</summary>
    /// <param name="data">What to encrypt or decrypt.</param>
    public void Apply(Span<byte> data)
    {
        for (var n = 0; n < data.Length; n++)
        {
            m_j += m_state[++m_i];
            (m_state[m_i], m_state[m_j]) = (m_state[m_j], m_state[m_i]);
            data[n] ^= m_state[(byte)(m_state[m_i] + m_state[m_j])];
        }
    }
}
