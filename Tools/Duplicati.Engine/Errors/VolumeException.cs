using Duplicati.Library.Interface;

namespace Duplicati.Engine.Errors;

/// <summary>A remote volume that cannot be used. Each cause is a derived type; the message names the volume and the remedy.</summary>
public abstract class VolumeException : UserInformationException
{
    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    /// <param name="problem">What is wrong, a sentence without the volume's name.</param>
    /// <param name="remedy">What the user can do, a sentence.</param>
    /// <param name="helpId">The stable name of the error.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    protected VolumeException(string volume, string problem, string remedy, string helpId, Exception? inner)
        : base($"{volume}: {problem} {remedy}", helpId, inner!)
    {
        Volume = volume;
        Problem = problem;
        Remedy = remedy;
    }

    /// <summary>The file name of the volume.</summary>
    public string Volume { get; }

    /// <summary>What is wrong, a sentence.</summary>
    public string Problem { get; }

    /// <summary>What the user can do about it.</summary>
    public string Remedy { get; }
}
