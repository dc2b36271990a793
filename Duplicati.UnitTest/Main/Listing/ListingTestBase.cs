// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.Listing;

/// <summary>What tests of listings begin with.</summary>
public abstract class ListingTestBase : SampleTestBase
{
    /// <summary>Opens the sample for listing.</summary>
    private protected Task<LocalListDatabase> OpenAsync() => LocalListDatabase.CreateAsync(Data.Close(), null, default);

    /// <summary>Adds a folder for each path that ends with its separator, and a file of one byte for each other one.</summary>
    private protected long[] Files(params string[] paths) =>
        [.. paths.Select(x => Data.File(x, x[^1] == (x[0] == '/' ? '/' : '\\') ? SampleDatabase.Folder : Data.Blockset(x, 1)))];
}
