// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections;
using System.Reflection;
using System.Text;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Reliability.Faults;

/// <summary>A call of members of an operation's object, for tests that hold for all of them.</summary>
/// <param name="Name">The class and what is called.</param>
/// <param name="Open">Opens the object.</param>
/// <param name="Prepare">What has to be called before, on the same object.</param>
/// <param name="Run">The call, and its answer as text.</param>
internal sealed record OperationCall(
    string Name,
    Func<string, Task<LocalDatabase>> Open,
    Func<LocalDatabase, Task> Prepare,
    Func<LocalDatabase, Task<string>> Run
)
{
    /// <summary>The items of a stream as text.</summary>
    internal static async Task<string> TextAsync<T>(IAsyncEnumerable<T> items)
    {
        var text = new StringBuilder();
        await foreach (var item in items)
            text.AppendLine(Text(item));
        return text.ToString();
    }

    /// <summary>An answer as text: its values, or those of its properties.</summary>
    internal static string Text(object? answer) =>
        answer switch
        {
            null => "null",
            string or IFormattable or bool => $"{answer}",
            IDictionary map => string.Join(", ", map.Keys.Cast<object>().Select(x => $"{x}: {Text(map[x])}").Order(StringComparer.Ordinal)),
            IEnumerable items => $"[{string.Join(", ", items.Cast<object?>().Select(Text))}]",
            _ when answer.ToString() is { } text && text != answer.GetType().ToString() => text,
            _ => string.Join(
                ", ",
                answer
                    .GetType()
                    .GetProperties(BindingFlags.Public | BindingFlags.Instance)
                    .Where(x => x.GetIndexParameters().Length == 0)
                    .Select(x => $"{x.Name}: {Text(x.GetValue(answer))}")
            ),
        };

    public override string ToString() => Name;
}
