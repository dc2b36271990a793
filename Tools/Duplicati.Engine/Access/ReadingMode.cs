
namespace Duplicati.Engine.Access;

/// <summary>What a reading command needs of a database.</summary>
internal enum ReadingMode
{
    /// <summary>The file as it is, whatever its version.</summary>
    AnyVersion,

    /// <summary>The current version of the schema: an older one is read through an upgraded copy.</summary>
    CurrentVersion,

    /// <summary>A copy to work on, which is thrown away.</summary>
    PrivateCopy,
}
