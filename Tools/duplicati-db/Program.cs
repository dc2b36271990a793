// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool;

// Questions are seen and answered on a terminal only.
var terminal = Console.IsInputRedirected || Console.IsErrorRedirected ? null : Console.In;
return await ToolRoot.RunAsync(args, Console.Out, Console.Error, terminal);
