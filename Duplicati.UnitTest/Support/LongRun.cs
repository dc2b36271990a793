namespace Duplicati.UnitTest.Support;

/// <summary>
/// Tests that take minutes to hours and run only when asked for. All of them: <c>dotnet test Duplicati.UnitTest -c Release --filter "TestCategory=Long"</c>; those of
/// one class: <c>--filter "TestCategory=Long&amp;FullyQualifiedName~KillTests"</c>. A filter that also fits an ordinary test leaves them out.
/// </summary>
internal static class LongRun
{
    /// <summary>The category they carry.</summary>
    internal const string Category = "Long";
}
