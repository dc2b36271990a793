using Duplicati.Benchmarks.Micro.Recreate;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>The step that connects blocksets and blocks, against set-based statements on staged texts that have no quadratic term either.</summary>
internal sealed class OrderedExpansion : RebuildTechnique
{
    public override string Name => "ordered expansion of blocklists";

    public override string Without => "INSERT ... SELECT over tables of texts";

    public override string IsOff => "never";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var data = Data(setup);
        if (!with)
            return BeginPlain(setup, data);

        var rebuild = new RebuildTrial(setup.DatabasePath, data, Ample);
        rebuild.LoadFilelist();
        rebuild.LoadAll();
        return new Trial(rebuild.Resolve, rebuild.Content, rebuild);
    }

    private static Trial BeginPlain(TrialSetup setup, RebuildData data)
    {
        var plain = new PlainVariant(setup.DatabasePath);
        plain.RegisterVolumes(data.Indexes.Count);
        foreach (var file in data.Files)
        {
            var blockset = plain.AddBlockset(file.Hash, file.Length, file.Lists);
            plain.AddFile(file.Name, blockset, plain.AddMetadata(file.MetadataHash, SyntheticBackup.MetadataBytes));
            plain.AddLink(file.MetadataHash, SyntheticBackup.MetadataBytes);
        }

        for (var i = 0; i < data.Indexes.Count; i++)
        {
            var index = data.Indexes[i];
            for (var block = 0; block < index.Hashes.Count; block++)
                plain.UpdateBlock(index.Hashes[block], index.Sizes[block], i + 1);
            foreach (var list in index.Lists)
                plain.AddList(list.Hash, list.Entries);
        }

        plain.Commit();
        return new Trial(plain.Resolve, () => BackupTrials.ContentOf(setup.DatabasePath), plain);
    }
}
