#nullable enable

using System;

namespace Duplicati.Library.Main.Database;

/// <summary>A blocklist.</summary>
/// <param name="Hash">Its raw digest.</param>
/// <param name="Content">The digests in it, one after the other.</param>
internal readonly record struct BatchBlocklist(ReadOnlyMemory<byte> Hash, ReadOnlyMemory<byte> Content);
