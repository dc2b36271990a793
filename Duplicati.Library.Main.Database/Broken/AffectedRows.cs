#nullable enable

using System;
using Duplicati.Library.Interface;

namespace Duplicati.Library.Main.Database.Broken;

/// <summary>A log line about a remote volume.</summary>
/// <param name="Timestamp">When it was written, in UTC.</param>
/// <param name="Message">What it says.</param>
internal sealed record LoggedLine(DateTime Timestamp, string Message) : IListResultRemoteLog;

/// <summary>A remote volume, by its name.</summary>
internal sealed record NamedVolume(string Name) : IListResultRemoteVolume;
