import { describe, expect, it } from "vitest";
import { isPublicAddress, resolveHost } from "../../src/sandbox/addresses.ts";

describe("isPublicAddress", () => {
  it.each(["151.101.0.223", "8.8.8.8", "223.255.255.254", "2a04:4e42::223", "2606:4700::1111"])(
    "lets %s pass",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    ["0.0.0.0", "this host"],
    ["127.8.8.8", "loopback"],
    ["10.1.2.3", "private"],
    ["172.31.255.255", "private"],
    ["192.168.1.1", "private"],
    ["100.64.0.1", "carrier's own"],
    ["169.254.169.254", "metadata service"],
    ["198.19.0.1", "benchmarking"],
    ["224.0.0.1", "multicast"],
    ["255.255.255.255", "broadcast"],
    ["::", "this host"],
    ["::1", "loopback"],
    ["::ffff:127.0.0.1", "loopback, mapped"],
    ["::ffff:8.8.8.8", "mapped"],
    ["64:ff9b::7f00:1", "translated"],
    ["fe80::1", "link-local"],
    ["fd00:ec2::254", "private"],
    ["ff02::1", "multicast"],
    ["2002:7f00:1::", "6to4"],
    ["2001:0:1::", "Teredo"],
  ])("stops %s (%s)", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe("resolveHost", () => {
  it("finds only public addresses, unless told otherwise", async () => {
    expect(await resolveHost("localhost", { publicOnly: true })).toBeNull();
    expect(await resolveHost("localhost", { publicOnly: false })).toMatch(/^(127\.0\.0\.1|::1)$/);
    expect(await resolveHost("169.254.169.254", { publicOnly: true })).toBeNull();
  });
});
