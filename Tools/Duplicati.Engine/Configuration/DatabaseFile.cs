// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Library.Interface;

namespace Duplicati.Engine.Configuration;

/// <summary>Checks on the database file before anything opens it.</summary>
internal static class DatabaseFile
{
    /// <summary>Fails when there is no database, instead of making an empty one.</summary>
    /// <exception cref="UserInformationException">Help ids <c>DatabaseDoesNotExist</c>, <c>DatabaseFormatError</c>.</exception>
    internal static void RequireExists(string path)
    {
        RequireFile(path);
        if (!File.Exists(path))
            throw new UserInformationException($"The database {path} does not exist. {Advice.NoDatabase()}", "DatabaseDoesNotExist");
    }

    /// <summary>Fails where there is something that is no file: a folder, or what blocks, or does something, when it is opened.</summary>
    /// <exception cref="UserInformationException">Help id <c>DatabaseFormatError</c>.</exception>
    internal static void RequireFile(string path)
    {
        if (Directory.Exists(path))
            throw new UserInformationException($"{path} is a folder; name the database file in it.", "DatabaseFormatError");
        if (UnixFile.IsSpecial(path, followsLinks: true))
            throw new UserInformationException($"{path} is a pipe, a socket or a device; name a database file.", "DatabaseFormatError");
    }

    /// <summary>Bytes of a database, or of what lies beside it; 0 if it is not there.</summary>
    /// <param name="path">The database, or a link to it.</param>
    /// <param name="suffix">What the name of the other file ends with.</param>
    internal static long Length(string path, string suffix = "") =>
        new FileInfo(RealPath.Of(path) + suffix) is { Exists: true } file ? file.Length : 0;
}
