// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Library.Interface;

namespace Duplicati.Library.ResultSerialization;

/// <summary>Writes the result of an operation as JSON.</summary>
public class JsonFormatSerializer
{
    private static readonly JsonSerializerOptions s_options = new() { WriteIndented = true };

    /// <summary>The public properties of a result, as one JSON object.</summary>
    /// <param name="result">The result.</param>
    /// <returns>JSON text.</returns>
    public string SerializeResults(IBasicResults result)
    {
        ArgumentNullException.ThrowIfNull(result);
        return JsonSerializer.Serialize(result, result.GetType(), s_options);
    }
}
