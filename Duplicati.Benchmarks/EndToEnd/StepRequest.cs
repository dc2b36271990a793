namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>One operation to be run by a child process.</summary>
/// <param name="Operation">backup, recreate, restore or delete.</param>
/// <param name="Remote">The remote folder.</param>
/// <param name="Database">The database file.</param>
/// <param name="Folder">The source or target folder; empty where there is none.</param>
/// <param name="Preset">Connection preset.</param>
/// <param name="Version">Version to delete.</param>
/// <param name="BlockSize">Bytes in a block.</param>
/// <param name="VolumeSize">Bytes in a block volume.</param>
/// <param name="Passphrase">Passphrase, or null for no encryption.</param>
internal sealed record StepRequest(string Operation, string Remote, string Database, string Folder, string Preset, int Version, int BlockSize, long VolumeSize, string? Passphrase);
