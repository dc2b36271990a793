using BenchmarkDotNet.Loggers;

namespace Duplicati.Benchmarks.Micro;

/// <summary>Writes what BenchmarkDotNet says to a text writer, without colours.</summary>
internal sealed class TextLogger(TextWriter writer) : ILogger
{
    public string Id => nameof(TextLogger);

    public int Priority => 0;

    public void Write(LogKind logKind, string text) => writer.Write(text);

    public void WriteLine() => writer.WriteLine();

    public void WriteLine(LogKind logKind, string text) => writer.WriteLine(text);

    public void Flush() => writer.Flush();
}
