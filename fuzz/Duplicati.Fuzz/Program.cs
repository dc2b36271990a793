// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Reflection.PortableExecutable;
using Duplicati.UnitTest.Engine.Fuzz;
using SharpFuzz;

// Where an assembly's header has its flags, and what leads to its machine code.
const int Flags = 16;
const int NativeHeader = 64;

switch (args)
{
    case ["managed", var assembly]:
        RemoveMachineCode(assembly);
        return 0;
    case [var name, var file] when FuzzTargets.All.TryGetValue(name, out var target):
        target(File.ReadAllBytes(file));
        return 0;
    case [var name] when FuzzTargets.All.TryGetValue(name, out var target):
        // Inputs come from afl-fuzz, which started this: fuzz/run.sh.
        Fuzzer.OutOfProcess.Run(stream =>
        {
            using var input = new MemoryStream();
            stream.CopyTo(input);
            target(input.ToArray());
        });
        return 0;
    default:
        Console.Error.WriteLine($"usage: Duplicati.Fuzz {string.Join('|', FuzzTargets.All.Keys)} [FILE]");
        return 2;
}

// The framework's assemblies hold machine code beside their own, which cannot be followed.
static void RemoveMachineCode(string path)
{
    var image = File.ReadAllBytes(path);
    using var reader = new PEReader(new MemoryStream(image));
    var start = reader.PEHeaders.CorHeaderStartOffset;
    BinaryPrimitives.WriteInt32LittleEndian(image.AsSpan(start + Flags), (int)(reader.PEHeaders.CorHeader!.Flags | CorFlags.ILOnly));
    image.AsSpan(start + NativeHeader, 2 * sizeof(int)).Clear();
    BinaryPrimitives.WriteUInt16LittleEndian(image.AsSpan(reader.PEHeaders.CoffHeaderStartOffset), (ushort)Machine.Amd64);
    File.WriteAllBytes(path, image);
}
