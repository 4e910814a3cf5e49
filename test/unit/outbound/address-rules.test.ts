import { canonicalAddress, isPublicAddress } from '../../../src/platform/outbound/address-rules.ts';

const NOT_PUBLIC = [
  // loopback, private, shared, link-local with the metadata services
  '127.0.0.1',
  '127.255.255.254',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '100.64.0.1',
  '100.127.255.255',
  '100.100.100.200',
  '169.254.0.1',
  '169.254.169.254',
  '168.63.129.16',
  // unspecified, multicast, broadcast, reserved, documentation, benchmarking
  '0.0.0.0',
  '0.1.2.3',
  '224.0.0.1',
  '239.255.255.255',
  '255.255.255.255',
  '240.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '198.18.0.1',
  '192.88.99.1',
  // IPv6
  '::',
  '::1',
  'fe80::1',
  'fec0::1',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '100::1',
  '2001:db8::1',
  '3fff::1',
  '5f00::1',
  '2001::1',
  '2001:0:7f00:1::',
  '2001:10::1',
  '2001:20::1',
  '2002:7f00:1::',
  '2002:808:808::',
  '4000::1',
  // IPv4 inside IPv6
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '::ffff:10.0.0.1',
  '::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b::7f00:1',
  '64:ff9b:1::808:808',
  '::ffff:0:7f00:1',
  // no addresses, or not in the one spelling
  '',
  'localhost',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '127.1',
  'fe80::1%eth0',
  '8.8.8.8 ',
  '[2606:4700::1]',
];

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '11.0.0.1',
  '169.253.255.255',
  '223.255.255.255',
  '2606:4700::6810:84e5',
  '2a00:1450:4001::1',
  '2400:cb00::1',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
];

describe('public addresses', () => {
  test.each(NOT_PUBLIC)('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(PUBLIC)('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test('an address has one canonical spelling', () => {
    expect(canonicalAddress('::ffff:127.0.0.1')).toBe('127.0.0.1');
    expect(canonicalAddress('0:0:0:0:0:0:0:1')).toBe(canonicalAddress('::1'));
    expect(canonicalAddress('example.com')).toBeNull();
  });
});
