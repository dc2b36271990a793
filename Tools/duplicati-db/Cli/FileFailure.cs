namespace Duplicati.Tool.Cli;

/// <summary>What a user can do about a failure of the file system.</summary>
internal static class FileFailure
{
    // ENOSPC and EROFS of Linux and macOS; ERROR_DISK_FULL and ERROR_WRITE_PROTECT of Windows.
    private const int NoSpace = 28;
    private const int ReadOnly = 30;
    private const int WindowsDiskFull = unchecked((int)0x80070070);
    private const int WindowsWriteProtect = unchecked((int)0x80070013);

    /// <summary>Help id and remedy of a failure.</summary>
    internal static (string HelpId, string Message) Describe(Exception failure) => failure switch
    {
        IOException { HResult: NoSpace or WindowsDiskFull } => ("DiskIsFull", $"There is no space left: {failure.Message} Free some and run the same command again."),
        IOException { HResult: ReadOnly or WindowsWriteProtect } => ("FileIsReadOnly", $"The file system is read-only: {failure.Message} Choose another folder."),
        FileNotFoundException or DirectoryNotFoundException => ("FileMissing", $"{failure.Message} Check the path."),
        UnauthorizedAccessException => ("AccessDenied", $"{failure.Message} Check the permissions of the file and its folder."),
        _ => (failure.GetType().Name, failure.Message),
    };
}
