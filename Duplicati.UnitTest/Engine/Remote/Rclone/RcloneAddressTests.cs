// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Remote.Rclone;
using Duplicati.Library.Interface;

namespace Duplicati.UnitTest.Engine.Remote.Rclone;

[TestFixture]
internal sealed class RcloneAddressTests
{
    [TestCase("rclone:")]
    [TestCase("rclone:name")]
    [TestCase("rclone::webdav,pass=secret:folder")]
    [TestCase("rclone:name,pass=secret:folder")]
    [TestCase("rclone:--config:folder")]
    [TestCase("rclone:name:a\nb")]
    public void An_address_that_is_not_of_a_configured_remote_is_refused(string address)
    {
        var error = Assert.Throws<UserInformationException>(() => RcloneAddress.Parse(address));
        Assert.That(error!.HelpID, Is.EqualTo("InvalidRemoteAddress"));
        Assert.That(error.Message, Does.Not.Contain("secret"));
    }

    [TestCase("rclone:name:", "name:", "name:x")]
    [TestCase("rclone:name:/", "name:/", "name:/x")]
    [TestCase("RCLONE:my name:a/b/", "my name:a/b", "my name:a/b/x")]
    [TestCase("rclone:c:a:b", "c:a:b", "c:a:b/x")]
    public void An_address_is_a_remote_and_a_path(string address, string target, string file)
    {
        var parsed = RcloneAddress.Parse(address);
        Assert.That((parsed.Target, parsed.FileTarget("x")), Is.EqualTo((target, file)));
    }
}
