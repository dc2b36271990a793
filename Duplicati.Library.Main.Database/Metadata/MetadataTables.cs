#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Metadata;

/// <summary>The temporary tables of questions about metadata. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class MetadataTables
{
    internal static readonly TempTable MissingVolume = new("MissingVolume", MetadataTablesSql.CreateMissingVolume, MetadataTablesSql.ClearMissingVolume);
}
