using System.Security.Cryptography;
using Duplicati.Benchmarks.Micro.Blocks;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>All blocks of volumes that are not encrypted: how long a volume is is asked of the system once, against several times a block.</summary>
internal sealed class KnownLengths : Technique
{
    private const int BlockBytes = 1024;
    private const int BlocksPerVolume = 1000;

    public override string Name => "length of a fetched volume asked once";

    public override string Without => "asked of the system by the reader of zip containers, several times an entry";

    public override string IsOff => "volumes in memory, which need it not";

    public override string Entry => "block";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var paths = new List<string>();
        for (var first = 0; first < setup.Blocks; first += BlocksPerVolume)
            paths.Add(Write(Path.Combine(setup.Folder, $"{first}"), first, Math.Min(first + BlocksPerVolume, setup.Blocks)));
        var sum = 0L;
        return new Trial(() => sum = paths.Sum(path => Read(path, with)), () => sum);
    }

    private static string Write(string path, int first, int end)
    {
        var format = new VolumeFormat { Blocksize = BlockBytes };
        using var writer = new BlockVolumeWriter(VolumeName.New(RemoteVolumeType.Blocks), File.Create(path), format);
        var content = new byte[BlockBytes];
        for (var i = first; i < end; i++)
        {
            BitConverter.TryWriteBytes(content, i);
            writer.AddBlock(Convert.ToBase64String(SHA256.HashData(content)), content, compressible: false);
        }

        return path;
    }

    private static long Read(string path, bool with)
    {
        Stream file = new FileStream(path, new FileStreamOptions { BufferSize = VolumeOpener.BufferSize });
        using var reader = BlockVolumeReader.Open(with ? new KnownLengthStream(file) : file, path);
        var buffer = new byte[BlockBytes];
        var sum = 0L;
        foreach (var (hash, _) in reader.Blocks)
        {
            var length = reader.ReadBlock(hash, buffer);
            sum += BlockContender.Fold(length, BitConverter.ToInt32(buffer));
        }

        return sum;
    }
}
