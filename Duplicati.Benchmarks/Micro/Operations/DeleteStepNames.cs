namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>Names of the steps of a deletion that the layer does not name itself.</summary>
internal static class DeleteStepNames
{
    public const string Fileset = "Fileset";
    public const string Remotevolume = "Remotevolume";
    public const string Commit = "commit, checkpoint";
}
