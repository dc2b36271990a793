// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;

namespace Duplicati.Engine.Errors;

/// <summary>A path of a backup that would lead out of the folder that is restored to. Nothing was created.</summary>
public sealed class UnsafePathException : UserInformationException
{
    /// <summary>Makes the error.</summary>
    /// <param name="path">The path.</param>
    /// <param name="problem">What is wrong, without a full stop.</param>
    public UnsafePathException(string path, string problem)
        : base($"'{path}' is not restored: {problem}. Restore it alone to an empty folder if it is wanted.", "UnsafePath") { }
}
