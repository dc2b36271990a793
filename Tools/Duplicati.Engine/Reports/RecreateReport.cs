
namespace Duplicati.Engine.Reports;

/// <summary>What a recreate did.</summary>
/// <param name="Filelists">File lists read.</param>
/// <param name="IndexVolumes">Index volumes read.</param>
/// <param name="BlockVolumes">Block volumes that had to be read as well.</param>
/// <param name="Problems">Volumes that could not be read.</param>
/// <param name="Kept">Volumes that were not read, because an interrupted recreate had.</param>
public sealed record RecreateReport(int Filelists, int IndexVolumes, int BlockVolumes, int Problems, int Kept = 0);
