import { BlockList, isIP, isIPv4 } from "node:net";

/** `10.0.0.7`, `10.0.0.0/8`, `::1`, `fd00::/8`. */
export function isAddressRange(text: string): boolean {
  const [address = "", bits, more] = text.split("/");
  const width = isIP(address) === 4 ? 32 : 128;
  if (isIP(address) === 0 || more !== undefined) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= width);
}

/** Whether a peer's address lies in one of the ranges. */
export function addressMatcher(ranges: readonly string[]): (address: string) => boolean {
  const listed = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    if (bits === undefined) listed.addAddress(address, family);
    else listed.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    // a socket for both protocols tells an IPv4 peer in IPv6 form
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
    return isIP(plain) !== 0 && listed.check(plain, isIPv4(plain) ? "ipv4" : "ipv6");
  };
}
