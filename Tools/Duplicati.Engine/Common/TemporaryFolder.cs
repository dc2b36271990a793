namespace Duplicati.Engine.Common;

/// <summary>A new folder for an operation's temporary files, removed with everything in it.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    internal TemporaryFolder() => Path = Directory.CreateTempSubdirectory("duplicati-engine-").FullName;

    internal string Path { get; }

    public void Dispose()
    {
        try
        {
            Directory.Delete(Path, recursive: true);
        }
        catch (IOException)
        {
            // A file still open elsewhere; the system's own cleaning of the temporary folder takes it.
        }
    }
}
