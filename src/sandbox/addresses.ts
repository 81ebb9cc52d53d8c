import { lookup } from "node:dns/promises";
import { BlockList, isIPv6 } from "node:net";

const NOT_PUBLIC = {
  ipv4: blockList("ipv4", [
    ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
    ...["192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3"],
  ]),
  // Only global unicast, 2000::/3, is public; in it, Teredo and 6to4 carry IPv4 addresses.
  ipv6: blockList("ipv6", ["::/3", "4000::/2", "8000::/1", "2001::/32", "2002::/16"]),
};

function blockList(family: "ipv4" | "ipv6", networks: string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** Is this an address of the public internet: not private, loopback, link-local (metadata services), multicast or reserved? */
export function isPublicAddress(address: string): boolean {
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  return !NOT_PUBLIC[family].check(address, family);
}

/** The first address of `host`, or its first public one; null when it has none. Connect to it, not to the name again. */
export async function resolveHost(host: string, { publicOnly }: { publicOnly: boolean }): Promise<string | null> {
  const found = await lookup(host, { all: true });
  return found.find(({ address }) => !publicOnly || isPublicAddress(address))?.address ?? null;
}
