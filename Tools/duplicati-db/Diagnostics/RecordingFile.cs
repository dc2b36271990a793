// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Text;
using Duplicati.Engine.Common;
using Duplicati.Library.Interface;

namespace Duplicati.Tool.Diagnostics;

/// <summary>
/// Opens the files of <c>--log-file</c>, <c>--metrics</c> and <c>--trace</c> before the command begins, so that nothing has been done if
/// one cannot be written.
/// </summary>
internal static class RecordingFile
{
    /// <summary>What each line of a log begins with.</summary>
    internal const string LogTime = "yyyy-MM-ddTHH:mm:ss.fff'Z '";

    /// <summary>Opens the file of <c>--log-file</c> to append to it. Only one that is empty or begins as a log does is taken.</summary>
    /// <param name="file">The file.</param>
    /// <exception cref="IOException">It cannot be written, or is of another kind.</exception>
    internal static StreamWriter OpenLog(FileInfo file)
    {
        RefusePipe(file);
        if (file.Exists)
        {
            using var present = new FileStream(file.FullName, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            if (present.CanSeek && present.Length > 0 && !IsLog(present))
                throw new IOException($"{file.FullName} is there already, and --log-file has not written it.");
        }

        // Without a buffer, as what could not be written would be written once more when it is closed.
        return new StreamWriter(new FileStream(file.FullName, FileMode.Append, FileAccess.Write, FileShare.Read, bufferSize: 0))
        {
            AutoFlush = true,
        };
    }

    /// <summary>Opens a file and empties it.</summary>
    /// <param name="file">The file.</param>
    /// <param name="option">The option that names it.</param>
    /// <param name="beginning">What a file that the option wrote before begins with: only such a one is replaced.</param>
    /// <exception cref="UserInformationException">Help ids <c>RecordingFileNotAccessible</c>, <c>RecordingFileExists</c>.</exception>
    internal static FileStream Open(FileInfo file, string option, string beginning)
    {
        try
        {
            RefusePipe(file);
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
            $"{file.FullName} exists and was not written by {option}: nothing was done. Choose another file.",
            "RecordingFileExists"
        );
    }

    private static void RefusePipe(FileInfo file)
    {
        if (UnixFile.IsNamedPipe(file.FullName))
            throw new IOException($"{file.FullName} is a pipe, and nobody may be reading it.");
    }

    private static bool IsLog(FileStream stream)
    {
        var present = new byte[DateTime.UnixEpoch.ToString(LogTime, CultureInfo.InvariantCulture).Length];
        var read = stream.ReadAtLeast(present, present.Length, throwOnEndOfStream: false);
        return DateTime.TryParseExact(
            Encoding.ASCII.GetString(present, 0, read),
            LogTime,
            CultureInfo.InvariantCulture,
            DateTimeStyles.None,
            out _
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
