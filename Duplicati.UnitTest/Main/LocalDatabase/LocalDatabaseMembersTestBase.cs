// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>A small consistent backup, on which each of <see cref="LocalDatabaseMembers"/> has something to do.</summary>
public abstract class LocalDatabaseMembersTestBase : LocalDatabaseTestBase
{
    private protected const int MOST_STEPS = 20_000;

    [SetUp]
    public async Task Fill()
    {
        Execute(
            """
            INSERT INTO Remotevolume (ID, OperationID, Name, Type, State, VerificationCount, DeleteGraceTime, ArchiveTime, LockExpirationTime)
            VALUES (1, 1, 'blocks', 'Blocks', 'Uploaded', 0, 0, 0, 0), (2, 1, 'list', 'Files', 'Uploaded', 0, 0, 0, 0);
            INSERT INTO Fileset (ID, OperationID, VolumeID, IsFullBackup, Timestamp) VALUES (1, 1, 2, 1, 1000);
            INSERT INTO Block (ID, Hash, Size, VolumeID) VALUES (1, 'AAAA', 100, 1), (2, 'BBBB', 50, 1), (3, 'CCCC', 20, 1);
            INSERT INTO Blockset (ID, Length, FullHash) VALUES (1, 150, 'file'), (2, 20, 'CCCC');
            INSERT INTO BlocksetEntry VALUES (1, 0, 1), (1, 1, 2), (2, 0, 3);
            INSERT INTO BlocklistHash VALUES (1, 0, 'DDDD');
            INSERT INTO Metadataset (ID, BlocksetID) VALUES (1, 2);
            INSERT INTO PathPrefix VALUES (1, '/');
            INSERT INTO FileLookup VALUES (1, 1, 'f.txt', 1, 1), (2, 1, 'd/', -100, 1);
            INSERT INTO FilesetEntry VALUES (1, 1, 0), (1, 2, 0);
            """
        );
        await Db.Transaction.CommitAsync(CancellationToken.None);
    }
}
