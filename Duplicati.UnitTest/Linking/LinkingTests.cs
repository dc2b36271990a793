// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Linking;

/// <summary>The data layer takes the place of core's, from the sources and from the package, in a small tree laid out as core is.</summary>
[TestFixture]
internal sealed class LinkingTests
{
    private static string Targets => $"-p:CustomAfterMicrosoftCommonTargets={Repository.File("Linking", "Duplicati.DataLayer.targets")}";

    // D 1.1, D 5.2, D 5.4 and D 5.5; of schema 20 below, from the package.
    [Test]
    public void The_sources_replace_the_data_layer_of_a_tree_that_stays_as_it_is()
    {
        using var tree = new CoreTree(CoreState.Schema19);
        var before = tree.Sources();
        var build = tree.Build(Targets);
        Assert.That(build.ExitCode, Is.Zero, build.Output);
        Assert.That(build.Output, Does.Not.Contain("warning"));
        Assert.That(tree.Run(), Is.EqualTo((0, "schema 19" + Environment.NewLine)));
        Assert.That(tree.Sources(), Is.EqualTo(before));
        Assert.That(tree.DatabaseFiles(), Is.EqualTo(new[] { "new.sqlite" }), "a new database needs no copy");
    }

    [Test]
    public void A_reference_to_the_package_is_all_that_the_two_projects_need()
    {
        using var folder = new TestFolder();
        var version = $"0.1.0-test.{DateTime.UtcNow.Ticks}";
        try
        {
            var pack = CoreTree.DotNet(
                "pack",
                Repository.File("Linking"),
                "--nologo",
                "-o",
                folder.Path,
                $"-p:Version={version}",
                $"-p:BaseIntermediateOutputPath={folder.File("obj/")}",
                $"-p:BaseOutputPath={folder.File("bin/")}"
            );
            Assert.That(pack.ExitCode, Is.Zero, pack.Output);
            using var tree = new CoreTree(
                CoreState.Schema20,
                $"""<PackageReference Include="Duplicati.DataLayer.Sources" Version="{version}" />"""
            );
            tree.UsePackagesOf(folder.Path);
            var build = tree.Build();
            Assert.That(build.ExitCode, Is.Zero, build.Output);
            Assert.That(tree.Run(), Is.EqualTo((0, "schema 20 first first first" + Environment.NewLine)));
        }
        finally
        {
            Forget(version);
        }
    }

    [Test]
    public void A_tree_of_another_release_is_refused_with_what_is_wrong()
    {
        using var tree = new CoreTree();
        Assert.That(tree.RunTargetOfMain("CheckDataLayer", Targets).ExitCode, Is.Zero);

        var schema = Path.Combine(tree.Main, "Database", "Local", "Database schema");
        File.WriteAllText(Path.Combine(schema, "20. One more.sql"), "");
        var newer = tree.RunTargetOfMain("CheckDataLayer", Targets);
        Assert.That(newer.ExitCode, Is.Not.Zero);
        Assert.That(newer.Output, Does.Contain("error DDL002").And.Contain("2.3.0.109").And.Contain("another release"));

        File.Delete(Path.Combine(tree.Main, "Database", "Local", "LocalDatabase.cs"));
        var missing = tree.RunTargetOfMain("CheckDataLayer", Targets);
        Assert.That(missing.ExitCode, Is.Not.Zero);
        Assert.That(missing.Output, Does.Contain("error DDL001").And.Contain("LocalDatabase.cs"));
    }

    // D 5.4.
    [Test]
    public void A_tree_of_a_schema_that_is_not_known_is_refused_by_its_number()
    {
        using var tree = new CoreTree(CoreState.Schema20);
        Assert.That(tree.RunTargetOfMain("CheckDataLayer", Targets).ExitCode, Is.Zero);
        foreach (
            var file in new[]
            {
                "Duplicati/Library/Main/Database/Local/Database schema/21. Add restore test history table.sql",
                "Duplicati/CommandLine/DatabaseTool/Scripts/Local/21. Remove restore test history table.sql",
                "Duplicati/Library/Main/Operation/RestoreTestHandler.cs",
            }
        )
        {
            var added = tree.Add(file);
            var check = tree.RunTargetOfMain("CheckDataLayer", Targets);
            Assert.That(check.ExitCode, Is.Not.Zero, file);
            Assert.That(check.Output, Does.Contain("error DDL002").And.Contain("schema 21").And.Contain("2.3.0.109"), file);
            File.Delete(added);
        }
    }

    [Test]
    public void A_file_of_targets_without_its_sources_says_where_it_belongs()
    {
        using var folder = new TestFolder();
        using var tree = new CoreTree();
        var copy = folder.File("Duplicati.DataLayer.targets");
        File.Copy(Repository.File("Linking", "Duplicati.DataLayer.targets"), copy);
        var run = tree.RunTargetOfMain("CheckDataLayer", $"-p:CustomAfterMicrosoftCommonTargets={copy}");
        Assert.That(run.ExitCode, Is.Not.Zero);
        Assert.That(run.Output, Does.Contain("error DDL003").And.Contain(copy));
    }

    // A restore keeps what it unpacked for all projects of the user.
    private static void Forget(string version)
    {
        var packages =
            Environment.GetEnvironmentVariable("NUGET_PACKAGES")
            ?? Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");
        var unpacked = Path.Combine(packages, "duplicati.datalayer.sources", version);
        if (Directory.Exists(unpacked))
            Directory.Delete(unpacked, recursive: true);
    }
}
