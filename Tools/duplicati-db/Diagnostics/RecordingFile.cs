// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Library.Interface;

namespace Duplicati.Tool.Diagnostics;

/// <summary>
/// Opens the files of <c>--metrics</c> and <c>--trace</c> before the command begins, so that nothing has been done if one cannot be
/// written.
/// </summary>
internal static class RecordingFile
{
    /// <summary>Opens a file and empties it.</summary>
    /// <param name="file">The file.</param>
    /// <param name="option">The option that names it.</param>
    /// <param name="beginning">What a file that the option wrote before begins with: only such a one is replaced.</param>
    /// <exception cref="UserInformationException">Help ids <c>RecordingFileNotAccessible</c>, <c>RecordingFileExists</c>.</exception>
    internal static FileStream Open(FileInfo file, string option, string beginning)
    {
        try
        {
            var stream = new FileStream(file.FullName, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.Read);
            if (!stream.CanSeek || stream.Length == 0)
                return stream;

            if (BeginsWith(stream, Encoding.UTF8.GetBytes(beginning)))
            {
                stream.SetLength(0);
                return stream;
            }

            stream.Dispose();
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            throw new UserInformationException(
                $"The file of {option} cannot be written, and nothing was done: {ex.Message} Choose another file.",
                "RecordingFileNotAccessible"
            );
        }

        throw new UserInformationException(
            $"{file.FullName} is there already, {option} has not written it, and nothing was done. Choose another file.",
            "RecordingFileExists"
        );
    }

    private static bool BeginsWith(FileStream stream, byte[] beginning)
    {
        var present = new byte[beginning.Length];
        var read = stream.ReadAtLeast(present, present.Length, throwOnEndOfStream: false);
        stream.Position = 0;
        return present.AsSpan(0, read).SequenceEqual(beginning);
    }
}
