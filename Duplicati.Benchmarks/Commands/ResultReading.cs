using Duplicati.Benchmarks.Reports;

namespace Duplicati.Benchmarks.Commands;

/// <summary>Reads results and says what is wrong with them.</summary>
internal static class ResultReading
{
    /// <summary>The results of a folder, or null after a message.</summary>
    public static ResultFolder? TryLoad(string folder, TextWriter errors)
    {
        try
        {
            var results = ResultFolder.Load(folder);
            if (!results.IsEmpty)
                return results;
            errors.WriteLine($"{folder} has no {MicroResults.FileName}, {EndToEndResults.FileName} or *{TableResults.Suffix}.");
        }
        catch (Exception ex) when (ex is InvalidDataException or IOException or UnauthorizedAccessException)
        {
            errors.WriteLine(ex.Message);
        }

        return null;
    }
}
