// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Engine.Fuzz;

/// <summary>The inputs that fuzz/run.sh found: one for each way through a reader, and every one that was a fault.</summary>
[TestFixture]
public sealed class FuzzCorpusTests
{
    private static readonly string s_corpus = Repository.File("Duplicati.UnitTest", "Engine", "Fuzz", "Corpus");

    private static IEnumerable<string> Targets => FuzzTargets.All.Keys;

    [TestCaseSource(nameof(Targets))]
    public void What_a_fuzzer_found_gives_a_right_answer_or_a_typed_error_in_bounded_memory(string target)
    {
        var inputs = Directory.GetFiles(Path.Combine(s_corpus, target));
        Assert.That(inputs, Is.Not.Empty);
        using (Assert.EnterMultipleScope())
        {
            foreach (var input in inputs)
                Assert.That(() => FuzzTargets.All[target](File.ReadAllBytes(input)), Throws.Nothing, input);
        }
    }

    [Test]
    public void The_corpus_is_small_and_each_part_of_it_has_a_target()
    {
        Assert.That(Directory.GetDirectories(s_corpus).Select(Path.GetFileName), Is.EquivalentTo(FuzzTargets.All.Keys));
        var files = new DirectoryInfo(s_corpus).EnumerateFiles("*", SearchOption.AllDirectories);
        Assert.That(files.Sum(x => x.Length), Is.LessThan(1 << 20));
    }
}
