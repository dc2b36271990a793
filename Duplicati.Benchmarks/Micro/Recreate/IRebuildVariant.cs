namespace Duplicati.Benchmarks.Micro.Recreate;

/// <summary>One way to rebuild a database, driven as a recreate drives it.</summary>
internal interface IRebuildVariant : IDisposable
{
    void RegisterVolumes(long count);

    long AddBlockset(string hash, long length, string[] lists);

    long AddMetadata(string hash, long length);

    void AddFile(string name, long blockset, long metadata);

    void AddLink(string hash, long size);

    void UpdateBlock(string hash, long size, long volume);

    void AddList(string hash, string[] entries);

    void Commit();

    void Resolve();

    void Cleanup();
}
