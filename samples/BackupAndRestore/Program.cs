// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

// The layer through the engine: a backup, a database made again from the remote folder alone, and a restore with that.
// dotnet run -c Release --project samples/BackupAndRestore -- SOURCE WORKFOLDER
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;

if (args is not [var source, var work])
{
    Console.Error.WriteLine("Usage: BackupAndRestore SOURCE WORKFOLDER");
    return 2;
}

Directory.CreateDirectory(Path.Combine(work, "remote"));
var progress = SilentProgress.Instance;
var options = new EngineOptions
{
    Remote = Path.Combine(work, "remote"),
    DatabasePath = Path.Combine(work, "backup.sqlite"),
    Passphrase = "a sample, not a secret",
    BlockSize = 64 * 1024,
};

using var stop = new CancellationTokenSource();
Console.CancelKeyPress += (_, e) =>
{
    e.Cancel = true;
    stop.Cancel();
};

var backup = await new BackupOperation(options, progress).RunAsync([source], stop.Token);
Console.WriteLine($"{backup.Files} files examined, {backup.NewBlocks} new blocks, {backup.UploadedVolumes} volumes uploaded.");

var recreated = options with { DatabasePath = Path.Combine(work, "recreated.sqlite") };
var recreate = await new RecreateOperation(recreated, progress).RunAsync(stop.Token);
Console.WriteLine($"{recreate.Filelists} file lists and {recreate.IndexVolumes} index volumes read, {recreate.Problems} problems.");

var restore = await new RestoreOperation(recreated, progress).RunAsync(Path.Combine(work, "restored"), 0, null, stop.Token);
Console.WriteLine($"{restore.Files} files restored, {restore.Failed.Count} failed.");
return restore.Failed.Count == 0 ? 0 : 1;
