// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Configuration;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Reliability.Growth;

/// <summary>A backup that gets version after version, in each of which one file has changed, and operations on copies of it.</summary>
internal sealed class GrowingBackup : IDisposable
{
    private const int Files = 24;
    private const int Folders = 3;
    private const int FileSize = 1500;

    private readonly BackupCase m_backup = new(Change);
    private readonly Random m_random = new(1);
    private int m_versions;

    internal GrowingBackup()
    {
        for (var i = 0; i < Files; i++)
            Write(i);
    }

    /// <summary>What the database has now.</summary>
    internal DatabaseSize Size => DatabaseSize.Of(m_backup.Options.DatabasePath);

    /// <summary>Backs up until there are so many versions.</summary>
    internal async Task GrowAsync(int versions)
    {
        for (; m_versions < versions; m_versions++)
        {
            Write(m_versions % Files);
            await m_backup.BackUpAsync();
        }

        Assert.That(Size.Versions, Is.EqualTo(versions));
    }

    /// <summary>Steps of the engine that an operation takes, on a copy of database and remote folder.</summary>
    internal async Task<long> StepsAsync(MeasuredOperation operation)
    {
        using var copy = new BackupCase(Change);
        VolumeFiles.Copy(m_backup.Remote, copy.Remote);
        File.Copy(m_backup.Options.DatabasePath, copy.Options.DatabasePath);
        using var counter = new WorkCounter();
        await operation.Run(copy, m_backup.Source);
        return counter.Steps;
    }

    public void Dispose() => m_backup.Dispose();

    private static EngineOptions Change(EngineOptions options) => options with { NoAutoCompact = true };

    private void Write(int file) => SourceTree.Write(m_backup.Source, $"{file % Folders}/file-{file}", FileSize, m_random);
}
