// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Common;

/// <summary>Work with files that may be gone, closed to this process or on a disk that fails, which does no harm then.</summary>
internal static class Attempt
{
    /// <summary>Whether it was done.</summary>
    internal static bool Do(Action work) =>
        Read(
            () =>
            {
                work();
                return true;
            },
            false
        );

    /// <summary>What was read, or else something in its place.</summary>
    internal static T Read<T>(Func<T> read, T otherwise)
    {
        try
        {
            return read();
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            return otherwise;
        }
    }
}
