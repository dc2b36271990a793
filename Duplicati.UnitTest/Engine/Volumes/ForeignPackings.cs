// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.IO.Hashing;
using System.Text;
using Duplicati.Engine.Volumes;

namespace Duplicati.UnitTest.Engine.Volumes;

/// <summary>
/// Volumes that no code of ours has packed: the contents come from 7-Zip 26.02 (entries of zip), zstd 1.5.4, GNU tar 1.34 and gzip 1.12,
/// the zip container is written byte by byte.
/// </summary>
internal static class ForeignPackings
{
    private static readonly Dictionary<string, string> s_packed = new()
    {
        [nameof(ZipMethod.Deflate)] =
            "PZJLbgAhDEP3PcUcAcgHOFArVara++862DGbUZ48Cc7n5/v382nP39fTPhD3E3fG48TO2E68GTv+SUIcGEHIA1bKRHrlrANZxfaB1evF8/z7lQE6GFIH0L"
            + "3Q+PYupJWdhTRTbt7f6E3qBC7lLpgdqrzpXb03uJer0YEulaNZXghXMXahA2cWBnqXq5HAq8LVvLkLeCtzVHrX4GrLlXVgSh2cpFoyI6tj47S6BmIB1rze"
            + "5slb+gRbKn/VLlR/g0O78sblyJ538pJOf1Nn4PS3XHdV29QBOdfZ5M+5z96lT667KX+Bran+Bnur96PxHuQvOjivPsBT+WE8GNUPB+97+vBn11/w/LtJn3"
            + "VhyufFWao+T841n2zgO7/s4DmkD/DS/NPAW/tJ581qfxngu99MsIX0+fwD",
        [nameof(ZipMethod.Deflate64)] =
            "PZJLbgAhDEP3PcUcAcgHOFArVara++862DGbUZ48Cc7n5/v382nP39fTPhD3E3fG48TO2E68GTv+SUIcGEHIA1bKRHrlrANZxfaB1evF8/z7lQE6GFIH0L"
            + "3Q+PYupJWdhTRTbt7f6E3qBC7lLpgdqrzpXb03uJer0YEulaNZXghXMXahA2cWBnqXq5HAq8LVvLkLeCtzVHrX4GrLlXVgSh2cpFoyI6tj47S6BmIB1rze"
            + "5slb+gRbKn/VLlR/g0O78sblyJ538pJOf1Nn4PS3XHdV29QBOdfZ5M+5z96lT667KX+Bran+Bnur96PxHuQvOjivPsBT+WE8GNUPB+97+vBn11/w/LtJn3"
            + "VhyufFWao+T841n2zgO7/s4DmkD/DS/NPAW/tJ581qfxngu99MsIX0+fwD",
        [nameof(ZipMethod.BZip2)] =
            "QlpoOTFBWSZTWb70GaAAAZrZAAAQQAB/4AMlsAGWMjbEVT/0TaPVKmAGp4RU/ShgCU9RNNJqmRkTJv9vZTgopyimJRTlFMyi3KKalFzVs1Wra1dpNe/ajC"
            + "rCqKLCqoiqiqKKqioqoqqoqqIiKqgjAsCkKoKiwp65x/PWa73H5/8NGuQBISWBpjOIokBcDHZjZlyQw8zH8pA7l3ttUuNx2q61JnIVc7Cm3vzL82RLBKRs"
            + "esQVWZl4jeu6grcmdknOOjUpBzknMeXzNwpBrzdBkyRq+lTWdGXLrPLyxb5MG6qikMauRiKu9Zm6U0gSt6G7+gqVopoZHeYpbPyAY0NUFLWTHsXNO646vj"
            + "hO42sx9ztQpe3CpYjXqUwsrfwIA+xAB9CANfIgA+hAExAB/i7kinChIX3oM0A=",
        [nameof(ZipMethod.LZMA)] =
            "GgIFAF0AEAAAADYaSh8IoCYDTQcngUbiKEKNinSwOwAjClVXzy6ZueSQ1Yy0CqmQ3Pd6NY/08hKhSz/dHHsODZWk2QnkkyhB64CFM8lNakWMQDQOxcRd9a"
            + "bu7YVplntlz7k9W+rkfbWBGyUw0hg2bPo/jAUQoWR4SimKOCttn/ldTT7e+kA8efFlF2K02Ey9V3KIrbUXKXlw+/MRGiS0csGbpvO5nMagHguNXxowefFX"
            + "KKf7uF5UYQaOa5X6vUdKGeFpfha3QhERpFOXMQ88EwCsJ4J1uJc6VdsGGDCt8G4WqQP4cZ0fGxJlcWE2I66nwnoGHaaxi0CfLlEtvbVXYiiPSDLujy20+4"
            + "hV/cRlYQGu4GBsOnMlsAo//tqHjQ==",
        [nameof(ZipMethod.PPMd)] =
            "BwBr+3GcTCSSerVf5qE076A6KpfVfLwbsZm3H0+weOMnbzX9iTbRkwcuOKGI36xuoe3K6mGtJLBRZr/DTZjR/qFUC5T/4xdhk46Q6YDM0ryPSYP+IExcBE"
            + "K0XloF873guXfLh71YPQUSyvwuN4YWBiQtl3x4i0z8srLRlCYOYQebfavVGh4WjHSaA8uZoeA193WUzaFGBvn7+8q4zXEL1tzBr9ZqNWkeEDhKDkr92seu"
            + "4DL6W3Z4A0konh9NabZrhXdryljF0BdfM5fNtNzm/3nzEmYM8V7SHtA0wrmvhpjgmblIFdA0sDjrFaMP660ZGRkAnCTV4m6YvDMgBWkq5dRxCksYwvjYG7"
            + "p3wWYA",
        [nameof(ZipMethod.ZStandard)] =
            "KLUv/WQAA0UIAFYSJxDQVw5UoAuOEbmTTCkFjEjoIwAhACAAK2JgH35Dzl7z6uvsceMm26h8KgfeD+dz1dwAEoNDSAgMhEKyVsbuq0hJZyqaiMVAgA/8HH"
            + "74gFmc0mRy9ihi4d6aWQoTcs5wQkyHlA4hHRstdLQcJgdGf/7Es6pH7QLlyk03NxF4TH36UeLHqw9THwz074PcibcTZie6TnRixQkhTkiAAYCFqBAw1vsG"
            + "oJOUtgEQSMjFAWN5b744kvnvjRfFUeS1A5s37rxQvMaOSCoYfXstEN3/lcAgBR2HkFIQrFNvCoCs42nlgGOowAD9ZVS3gmpLWEhvCunMiBGhV4FFsSM4QY"
            + "G4mcGbmB//FA2mPkE=",
        [VolumeName.TZSTD] =
            "KLUv/QRoPRAAFpxTKIBPBzMwMzOJkdj6LU/wIJYFseB/HE+2cSC555dSJplSKnZANkJotgNRAFYAPQCjwws86UmpHuF9Slyn45QUL/AwWlldfVZ+hNfZUp"
            + "rthHgBJrxSx6FO2+W1YK9Yluq6U6ZpJ00Kpcoy1bKPvOveDXnhZsysmrm/ZinU5uFKGlLOuwDVPJ2m2lbiRqyRCz4KjTCbx2XjYFxOc6GZTcBhJViJ0CSy"
            + "l5XgBElVJB7u8fGHJXO9qTvQQQ/4mUyGbcQtXuA9ZEOD8ggPhNI0nHUJb2NxKBGnC7y9sHe9dbt1eX9Vp/a6nC7l5Bg/PuSHH30ybJe8vqquvD+dW04ZHz"
            + "5khj99frvz8uruyukvp8fvhwx/fXZafNj+7D/V/2e/y36O/d8vveF3Q+eGvQ0b7mSokqFGhvoMIUN1dm12ZfZddmXv6S49sv/6q8PZLrs3doCZqDFskgVF"
            + "JUlpOmAlSdIcIqiUGLJRRsLkVf6PQc4Bjwwaa3Fr2ItfQ4TIXvt7njApwSQ0kZootL/nCZOS18U6MmpOAZne7iuiEfaKJyAHg3F+u1SzMBPOULws1buArH"
            + "vK9CLw1dfV0y2++tmQTUVBbbaEgkjMBaQgTGgSJGUCz/ZtFRaA6swSqJwvZLLacviRD0gDJFepoWl2a0cO/ZdS+6mcrjVu11epPzYtwigBagAB7vgUvmei"
            + "dw==",
        [VolumeName.TGZ] =
            "H4sIAAAAAAACA+2VwW7TQBBAc+YrLJ/bandmdm1H4lAopRwCAkoOvaA0dYpLSConFVIQX9YDn8QvYM/sWKIHODUSaN7Fu17P7vPMWP4yWzWLerMdPSKuIx"
            + "LxtePh1QHAyAcPAZGov+89FHGUudEeuNtsZ22Wjdr1+o9J+Nv6P8rP+x/f8mndbpr1Kh/DQf68rWfb+iof5+AgOu/8uVTpIj/IX6zm66tmdd2t3m0XZXfn"
            + "2XI9/7xpdnU+9g4o3TibbT51z7w/O4YQu6dOm2X98N7x7e1wbg5HeOSOvKvy7yNjj3yY0PWkWbw9375uD79O/Zt3Nye7k938sP7oTqt2+vLV5XRyebG8Wd"
            + "LTR/r+oR///v0XXevZ978Pls2qzly2XmTuCY99P/Yyhn5MMsZ+XMmY+Jkok9BPIMgk9hNMKwWHp5iyn8S0WdVPynSK5+O9UwExAF1lCU8p0qOcnXb1olKl"
            + "E73IqI2P4qarLASlxrISgu5cibu+O1uRWgFbEemqpKZMscBWAdLOwFahSOcCW0W1AraKwypbFUMsWxXDzpIqPRfZqlIrZKtKnVFy5fSVUJLl9I1RsuU1IR"
            + "gk1WqGUeaaTmQ1j5ptLFMtdH+W80FrRVLJqHokpYxaaRK/QtuAxK/UHqFUTW0gknI69SOpp9fWIykoOI1nP0Cn+7MfkEvnByf9oH6B/fq/XJqzHxQaH1Aa"
            + "RvcP7AfV0Prsh4NfkPb36h+K1GEaLx2H+v5BWo40P9FJC6pfZD8sNL+R/bDU/Ef2w0rrE0l6VusX2Y+G+kb2I9T6xyKzP6BhGIZhGIZhGIZhGIZhGIZhGI"
            + "ZhGMb/wS/pKyxOACgAAA==",
    };

    /// <summary>The block in each of the volumes.</summary>
    internal static byte[] Block { get; } =
        Encoding.ASCII.GetBytes(string.Concat(Enumerable.Range(0, 200).Select(i => $"line {i} of {i * i}\n")))[..1024];

    /// <summary>Methods of zip and modules.</summary>
    internal static IEnumerable<string> Names => s_packed.Keys;

    /// <summary>A volume with a manifest and the block.</summary>
    internal static byte[] Volume(string packing) =>
        VolumeName.Modules.Contains(packing) ? Packed(packing) : Zip(Enum.Parse<ZipMethod>(packing), Packed(packing), Block);

    /// <summary>The packed block, or the whole container.</summary>
    internal static byte[] Packed(string packing) => Convert.FromBase64String(s_packed[packing]);

    /// <summary>A zip container with a stored manifest and a block that is packed.</summary>
    /// <param name="method">How the block is packed.</param>
    /// <param name="packed">The packed block.</param>
    /// <param name="block">The block.</param>
    internal static byte[] Zip(ZipMethod method, byte[] packed, byte[] block)
    {
        var manifest = VolumeManifest.Now(1024, VolumeHash.Sha256, VolumeHash.Sha256).ToBytes();
        using var zip = new MemoryStream();
        using var directory = new MemoryStream();
        Add(zip, directory, "manifest", ZipMethod.None, manifest, manifest);
        Add(zip, directory, HashEncoding.ToEntryName(VolumeFixture.Hash(block)), method, packed, block);
        var end = new byte[22];
        "PK\u0005\u0006"u8.CopyTo(end);
        BinaryPrimitives.WriteInt16LittleEndian(end.AsSpan(8), 2);
        BinaryPrimitives.WriteInt16LittleEndian(end.AsSpan(10), 2);
        BinaryPrimitives.WriteInt32LittleEndian(end.AsSpan(12), (int)directory.Length);
        BinaryPrimitives.WriteInt32LittleEndian(end.AsSpan(16), (int)zip.Length);
        directory.WriteTo(zip);
        zip.Write(end);
        return zip.ToArray();
    }

    private static void Add(MemoryStream zip, MemoryStream directory, string name, ZipMethod method, byte[] packed, byte[] content)
    {
        // From the version that is needed to the length of an extra part, which both headers have.
        var common = new byte[26];
        BinaryPrimitives.WriteInt16LittleEndian(common, 63);
        // An end mark behind the content, where that is LZMA.
        BinaryPrimitives.WriteInt16LittleEndian(common.AsSpan(2), (short)(method == ZipMethod.LZMA ? 2 : 0));
        BinaryPrimitives.WriteInt16LittleEndian(common.AsSpan(4), (short)method);
        BinaryPrimitives.WriteUInt32LittleEndian(common.AsSpan(10), Crc32.HashToUInt32(content));
        BinaryPrimitives.WriteInt32LittleEndian(common.AsSpan(14), packed.Length);
        BinaryPrimitives.WriteInt32LittleEndian(common.AsSpan(18), content.Length);
        BinaryPrimitives.WriteInt16LittleEndian(common.AsSpan(22), (short)name.Length);

        var header = new byte[46];
        "PK\u0001\u0002"u8.CopyTo(header);
        common.CopyTo(header, 6);
        BinaryPrimitives.WriteInt32LittleEndian(header.AsSpan(42), (int)zip.Length);
        directory.Write(header);
        directory.Write(Encoding.ASCII.GetBytes(name));

        zip.Write("PK\u0003\u0004"u8);
        zip.Write(common);
        zip.Write(Encoding.ASCII.GetBytes(name));
        zip.Write(packed);
    }
}
