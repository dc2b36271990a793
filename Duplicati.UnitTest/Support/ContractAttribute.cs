// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Support;

/// <summary>
/// Names the row of the contract that a test holds, such as <c>A 12.3 row 4</c>. What is covered can be listed with
/// <c>grep -roh '\[Contract("[^"]*")' Duplicati.UnitTest --include=*.cs | sort -u</c>. That the test calls what the row names is checked by
/// <c>ContractCallsTests</c>.
/// </summary>
/// <param name="row">Part, section and row of the contract.</param>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Class, AllowMultiple = true)]
public sealed class ContractAttribute(string row) : PropertyAttribute("Contract", row);
