// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Library.Interface;

namespace Duplicati.Engine.Errors;

/// <summary>A setting that a database has stored is missing, is no such setting, or contradicts the volumes. Nothing was done.</summary>
public sealed class DamagedSettingException : UserInformationException
{
    /// <summary>Makes the error.</summary>
    /// <param name="path">The database.</param>
    /// <param name="problem">The setting and what is wrong with it, without a full stop.</param>
    public DamagedSettingException(string path, string problem)
        : base($"The database {path} is damaged: {problem}. {Advice.RecreateDatabase()}", "DatabaseIsDamaged") => Problem = problem;

    /// <summary>The setting and what is wrong with it.</summary>
    public string Problem { get; }
}
