using System.Globalization;
using System.Runtime.InteropServices;
using Duplicati.Engine.Reports;

namespace Duplicati.Engine.Operations;

/// <summary>What a bug report tells of the system: nothing that names the machine or its user.</summary>
internal static class SystemInformation
{
    internal static IEnumerable<string> Lines(InspectReport database)
    {
        yield return $"Time: {DateTime.UtcNow.ToString("u", CultureInfo.InvariantCulture)}";
        yield return $"System: {RuntimeInformation.OSDescription} ({RuntimeInformation.OSArchitecture})";
        yield return $"Runtime: {RuntimeInformation.FrameworkDescription} ({RuntimeInformation.ProcessArchitecture})";
        yield return $"Processors: {Environment.ProcessorCount}";
        yield return $"SQLite: {database.SqliteVersion}";
        yield return $"Schema: {database.SchemaVersion}";
        yield return $"Pages: {database.Pages} of {database.PageSize} bytes";
        foreach (var (table, rows) in database.RowCounts)
            yield return $"Rows of {table}: {rows}";
        foreach (var problem in database.Problems)
            yield return $"Problem: {problem}";
    }
}
