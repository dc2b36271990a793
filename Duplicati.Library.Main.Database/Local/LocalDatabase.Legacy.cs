// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Reflection;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalDatabase
{
#pragma warning disable CA1707, IDE1006 // The contract fixes the names.
    /// <summary>Not supported: objects are made by the factories, which are asynchronous.</summary>
    /// <exception cref="NotImplementedException">Always.</exception>
    [Obsolete("Use CreateLocalDatabaseAsync instead.")]
    public LocalDatabase(object? _ignore1 = null, object? _ignore2 = null, object? _ignore3 = null, object? _ignore4 = null) =>
        throw new NotImplementedException("Use CreateLocalDatabaseAsync instead.");
#pragma warning restore CA1707, IDE1006

    /// <summary>
    /// Disposes the value of every field of type <typeparamref name="T"/> of an object, including those of its base types.
    /// </summary>
    /// <param name="item">The object.</param>
    /// <param name="throwExceptions">Whether an exception of a field ends the call; otherwise it is ignored.</param>
    public static void DisposeAllFields<T>(object item, bool throwExceptions)
        where T : IDisposable
    {
        ArgumentNullException.ThrowIfNull(item);
        for (var type = item.GetType(); type is not null; type = type.BaseType)
        {
            foreach (
                var field in type.GetFields(
                    BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly
                )
            )
                DisposeField<T>(field, item, throwExceptions);
        }
    }

    private static void DisposeField<T>(FieldInfo field, object item, bool throwExceptions)
        where T : IDisposable
    {
        if (!typeof(T).IsAssignableFrom(field.FieldType))
            return;

        try
        {
            ((T?)field.GetValue(item))?.Dispose();
        }
        catch when (!throwExceptions)
        {
            // Asked for by the caller: one field that cannot be disposed must not keep the others open.
        }
    }
}
