using Duplicati.Library.Interface;

namespace Duplicati.Library.Main;

/// <summary>A log line about a remote volume.</summary>
internal class ListResultRemoteLog(DateTime timestamp, string message) : IListResultRemoteLog
{
    public DateTime Timestamp { get; } = timestamp;
    public string Message { get; } = message;
}
