using Duplicati.Tool.Cli;

return await ToolRoot.RunAsync(args, Console.Out, Console.Error).ConfigureAwait(false);
