using Duplicati.Library.Interface;
using Duplicati.Library.Utility;

namespace Duplicati.Engine.Common;

/// <summary>Filters made of what a user writes.</summary>
internal static class PathFilter
{
    /// <summary>
    /// Wants what one of the patterns fits and none of the exclusions; without patterns everything but the exclusions.
    /// Each text stays a rule of its own, so that a plain text beside one with wildcards keeps its meaning.
    /// </summary>
    internal static IFilter Of(IEnumerable<string> patterns, IEnumerable<string> exclusions)
    {
        var includes = Rules(patterns, true);
        var excludes = Rules(exclusions, false);
        if (excludes.Empty)
            return includes;
        // Said in full: a list of exclusions alone is taken for a list of paths by the look-up of file names.
        var everything = new FilterExpression("*");
        return FilterExpression.Combine(FilterExpression.Combine(excludes, includes.Empty ? everything : includes), new FilterExpression("*", false));
    }

    private static IFilter Rules(IEnumerable<string> texts, bool result) =>
        texts.Aggregate<string, IFilter>(new FilterExpression(), (filter, text) => FilterExpression.Combine(filter, new FilterExpression(text, result)));
}
