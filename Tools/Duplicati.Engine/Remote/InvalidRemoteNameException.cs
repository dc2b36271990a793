using Duplicati.Engine.Common;

namespace Duplicati.Engine.Remote;

/// <summary>A name that is not one of a file directly in the remote folder. Nothing was touched.</summary>
public sealed class InvalidRemoteNameException : RemoteException
{
    /// <summary>Makes the error.</summary>
    /// <param name="name">The name.</param>
    public InvalidRemoteNameException(string name)
        : base($"'{name}' is not a plain file name. {Advice.DamagedName()}", "InvalidRemoteName", null)
    {
    }
}
