// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Benchmarks.Contenders.Engines;
using Duplicati.Benchmarks.Contenders.Providers;
using Duplicati.Benchmarks.Processes;

namespace Duplicati.Benchmarks.Contenders.Runs;

/// <summary>The process of one contender in one round: everything once on little data, to be compiled, and then for good.</summary>
internal static class ContenderChild
{
    /// <summary>First argument; the second is a <see cref="ContenderRequest"/>.</summary>
    public const string Command = "contender";

    /// <summary>Rows of the small template.</summary>
    public const int SmallRows = 2_000;

    private const int SmallOperations = 1_000;
    private const int MostOperations = 10_000;

    /// <summary>Does what is asked and writes a <see cref="ContenderReply"/>.</summary>
    public static int Run(string json)
    {
        var request = JsonSerializer.Deserialize<ContenderRequest>(json)!;
        if (request.Table == ContenderRequest.Providers)
            Console.Out.WriteLine(JsonSerializer.Serialize(AskProvider(request)));
        else
            AskEngine(request);
        return ExitCodes.Done;
    }

    private static ContenderReply AskProvider(ContenderRequest request)
    {
        var provider = Provider.All.Single(x => x.Name == request.Contender);
        var reply = Ask(request.SmallTemplate, SmallRows, SmallOperations);
        return request.IsSmoke ? reply : Ask(request.Template, request.Rows, Math.Min(request.Rows / 2, MostOperations));

        ContenderReply Ask(string template, int rows, int operations)
        {
            var path = Path.Combine(request.Folder, $"{rows}-{operations}.sqlite");
            File.Copy(template, path);
            return new ProviderWork(provider, path, rows, operations).Run();
        }
    }

    private static void AskEngine(ContenderRequest request)
    {
        var engine = StorageEngine.All.Single(x => x.Name == request.Contender);
        if (request.Table == ContenderRequest.Commits)
        {
            new EngineWork(engine, request.Folder, EngineScale.Small).Commit(request.Rows);
            return;
        }

        EngineWork.Prepare(request.Rows);
        var reply = new EngineWork(engine, request.Folder, EngineScale.Small).Run();
        if (!request.IsSmoke)
            reply = new EngineWork(engine, request.Folder, EngineScale.Of(request.Rows)).Run();
        Console.Out.WriteLine(JsonSerializer.Serialize(reply));
    }
}
