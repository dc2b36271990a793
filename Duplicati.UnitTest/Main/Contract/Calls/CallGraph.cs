// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;

namespace Duplicati.UnitTest.Main.Contract.Calls;

/// <summary>
/// Which members of some assemblies a method reaches: by itself, or through methods of others that it calls or hands on. What is behind
/// an interface is not found, and constants are not either, because the compiler puts in their values.
/// </summary>
/// <param name="followed">Assemblies whose methods are looked into.</param>
/// <param name="ends">Assemblies whose members are told and not looked into.</param>
internal sealed class CallGraph(IEnumerable<Assembly> followed, IEnumerable<Assembly> ends)
{
    /// <summary>All members that a type declares itself.</summary>
    public const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly Dictionary<int, OpCode> s_opCodes = typeof(OpCodes)
        .GetFields(BindingFlags.Public | BindingFlags.Static)
        .Select(x => (OpCode)x.GetValue(null)!)
        .ToDictionary(x => x.Value & 0xFFFF);

    private readonly HashSet<Assembly> m_followed = [.. followed];
    private readonly HashSet<Assembly> m_ends = [.. ends];
    private readonly Dictionary<MethodBase, MemberInfo[]> m_uses = [];

    /// <summary>The members that are reached, and methods of followed assemblies on the way.</summary>
    public (HashSet<MemberInfo> Reached, HashSet<MethodBase> Passed) From(IEnumerable<MethodBase> start)
    {
        var reached = new HashSet<MemberInfo>();
        var passed = new HashSet<MethodBase>();
        var open = new Stack<MethodBase>(start);
        while (open.TryPop(out var method))
        {
            if (!passed.Add(method))
                continue;
            foreach (var used in UsesOf(method))
            {
                if (m_ends.Contains(used.Module.Assembly))
                    reached.Add(used);
                else if (m_followed.Contains(used.Module.Assembly))
                    foreach (
                        var next in used is Type type ? Programs(type)
                        : used is MethodBase called ? [called]
                        : []
                    )
                        open.Push(next);
            }
        }

        return (reached, passed);
    }

    private MemberInfo[] UsesOf(MethodBase method)
    {
        if (!m_uses.TryGetValue(method, out var uses))
            m_uses[method] = uses = [.. Bodies(method).SelectMany(Uses).Distinct()];
        return uses;
    }

    // What a child process runs is named by its type.
    private static IEnumerable<MethodBase> Programs(Type type) =>
        typeof(IChildProgram).IsAssignableFrom(type) ? type.GetMethods(Declared) : [];

    // Of asynchronous methods and iterators the compiler puts the body elsewhere.
    private static IEnumerable<MethodBase> Bodies(MethodBase method) =>
        method.GetCustomAttribute<StateMachineAttribute>()?.StateMachineType is { } machine
            ? machine.GetMethods(Declared).Prepend(method)
            : [method];

    /// <summary>What the body of a method names: members, and types that it makes others of.</summary>
    public static IEnumerable<MemberInfo> Uses(MethodBase method)
    {
        if (method.GetMethodBody()?.GetILAsByteArray() is not { } code)
            yield break;
        var ofType = method.DeclaringType is { IsGenericType: true } type ? type.GetGenericArguments() : null;
        var ofMethod = method.IsGenericMethod ? method.GetGenericArguments() : null;
        for (var at = 0; at < code.Length; )
        {
            var opCode = s_opCodes[code[at] == 0xFE ? 0xFE00 | code[at + 1] : code[at]];
            at += opCode.Size;
            if (
                opCode.OperandType is OperandType.InlineMethod or OperandType.InlineField or OperandType.InlineTok or OperandType.InlineType
                && method.Module.ResolveMember(BitConverter.ToInt32(code, at), ofType, ofMethod) is { } member
            )
            {
                yield return member;
                if (member is MethodInfo { IsGenericMethod: true } generic)
                    foreach (var argument in generic.GetGenericArguments().Where(x => !x.IsGenericParameter))
                        yield return argument;
            }

            at += Length(opCode.OperandType, code, at);
        }
    }

    private static int Length(OperandType operand, byte[] code, int at) =>
        operand switch
        {
            OperandType.InlineNone => 0,
            OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
            OperandType.InlineVar => 2,
            OperandType.InlineI8 or OperandType.InlineR => 8,
            OperandType.InlineSwitch => 4 + (4 * BitConverter.ToInt32(code, at)),
            _ => 4,
        };
}
