using Duplicati.Library.Interface;

namespace Duplicati.Engine.Remote;

/// <summary>A remote folder cannot do what was asked. Each cause is a derived type; the message names the folder or file and the remedy.</summary>
public abstract class RemoteException : UserInformationException
{
    /// <summary>Makes the error.</summary>
    /// <param name="message">What is wrong and what the user can do.</param>
    /// <param name="helpId">The stable name of the error.</param>
    /// <param name="inner">The cause, if another error is behind it.</param>
    protected RemoteException(string message, string helpId, Exception? inner)
        : base(message, helpId, inner!)
    {
    }
}
