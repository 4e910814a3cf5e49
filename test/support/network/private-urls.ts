/** Addresses that no webhook may reach: one or two of each range, and the metadata services of clouds. */
const RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1', '127.255.255.254'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.254', '192.168.1.1'],
  shared: ['100.64.0.1'],
  'link-local': ['169.254.1.1'],
  metadata: ['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
  'this host': ['0.0.0.0'],
};

const IPV6: readonly string[] = [
  ...['::1', '0:0:0:0:0:0:0:1', '0000:0000:0000:0000:0000:0000:0000:0001', '::0001', '::'],
  ...['fe80::1', 'FE80::1', 'febf::1', 'fec0::1', 'fc00::1', 'fd00:ec2::254', 'FD00:0EC2:0:0:0:0:0:0254', 'fd20:ce::254'],
  ...['ff02::1', '100::1', '5f00::1', '2001:db8::1', '3fff::1'],
];

const NAMES: readonly string[] = [
  ...[
    'localhost',
    'LOCALHOST',
    'LocalHost.',
    'localhost..',
    'ｌｏｃａｌｈｏｓｔ',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
    'local\u00adhost',
    'loc%61lhost',
    'a.localhost',
  ],
  ...['metadata', 'metadata.google.internal', 'METADATA.Google.Internal.', 'metadata。google。internal', 'instance-data'],
  ...['kubernetes.default.svc.cluster.local', 'printer.local', 'db.intranet', 'router.lan', 'host.docker.internal'],
];

const bytesOf = (address: string): number[] => address.split('.').map(Number);
const numberOf = (address: string): number => bytesOf(address).reduce((sum, byte) => sum * 256 + byte, 0);
const hex = (value: number, digits = 1): string => value.toString(16).padStart(digits, '0');
const octal = (value: number): string => `0${value.toString(8)}`;

/** The two last groups of an IPv6 address that contains this one. */
const groupsOf = (address: string): [string, string] => {
  const [a = 0, b = 0, c = 0, d = 0] = bytesOf(address);
  return [hex(a * 256 + b), hex(c * 256 + d)];
};
const withDigits = (address: string, first: number): string =>
  address.replace(/\d/g, (digit) => String.fromCodePoint(first + Number(digit)));
const CIRCLED = ['⓪', ...'①②③④⑤⑥⑦⑧⑨'];

type Spell = (address: string) => string;

/** How a host of a URL can say an IPv4 address. */
const SPELLINGS: Readonly<Record<string, Spell>> = {
  dotted: (address) => address,
  decimal: (address) => String(numberOf(address)),
  hexadecimal: (address) => `0x${hex(numberOf(address), 8)}`,
  'capital hexadecimal': (address) => `0X${hex(numberOf(address), 8).toUpperCase()}`,
  octal: (address) => octal(numberOf(address)),
  'dotted hexadecimal': (address) =>
    bytesOf(address)
      .map((byte) => `0x${hex(byte)}`)
      .join('.'),
  'dotted octal': (address) => bytesOf(address).map(octal).join('.'),
  'padded octal': (address) =>
    bytesOf(address)
      .map((byte) => `000${octal(byte)}`)
      .join('.'),
  'mixed bases': (address) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytesOf(address);
    return `0x${hex(a)}.${octal(b)}.${c}.0X${hex(d)}`;
  },
  'three parts': (address) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytesOf(address);
    return `${a}.${b}.${c * 256 + d}`;
  },
  'two parts': (address) => `${bytesOf(address)[0]}.${numberOf(address) % 2 ** 24}`,
  'trailing dot': (address) => `${address}.`,
  'two trailing dots': (address) => `${address}..`,
  'full-width digits': (address) => withDigits(address, 0xff10),
  'mathematical digits': (address) => withDigits(address, 0x1d7ce),
  'circled digits': (address) => address.replace(/\d/g, (digit) => CIRCLED[Number(digit)] ?? ''),
  'ideographic full stops': (address) => address.replaceAll('.', '。'),
  'half-width full stops': (address) => address.replaceAll('.', '｡'),
  'percent-encoded': (address) => [...address].map((char) => `%${hex(char.charCodeAt(0), 2)}`).join(''),
  'soft hyphens': (address) => address.replaceAll('.', '.\u00ad'),
  'IPv4-mapped': (address) => `[::ffff:${address}]`,
  'IPv4-mapped in groups': (address) => `[::ffff:${groupsOf(address).join(':')}]`,
  'IPv4-mapped in full': (address) => `[0:0:0:0:0:FFFF:${groupsOf(address).join(':').toUpperCase()}]`,
  'IPv4-compatible': (address) => `[::${address}]`,
  'IPv4-translated': (address) => `[::ffff:0:${groupsOf(address).join(':')}]`,
  NAT64: (address) => `[64:ff9b::${groupsOf(address).join(':')}]`,
  'NAT64 dotted': (address) => `[64:FF9B::${address}]`,
  'local NAT64': (address) => `[64:ff9b:1::${address}]`,
  '6to4': (address) => `[2002:${groupsOf(address).join(':')}::1]`,
  ISATAP: (address) => `[fe80::5efe:${address}]`,
  Teredo: (address) => `[2001:0:808:808::${groupsOf(address).join(':')}]`,
  'Teredo client': (address) => {
    const [high, low] = groupsOf(address).map((group) => hex(0xffff ^ Number.parseInt(group, 16)));
    return `[2001:0:4136:e378:8000:63bf:${high}:${low}]`;
  },
};

/** What else a URL can say around a host: `at` is host and port. */
const DECORATIONS: Readonly<Record<string, (host: string, port: number) => string>> = {
  'plain http': (host, port) => `http://${host}:${port}/`,
  'scheme in capitals': (host, port) => `HTTPS://${host}:${port}/`,
  'no slashes': (host, port) => `https:${host}:${port}`,
  'three slashes': (host, port) => `https:///${host}:${port}/`,
  backslashes: (host, port) => `https:\\\\${host}:${port}\\`,
  'user name': (host, port) => `https://user@${host}:${port}/`,
  'user name and password': (host, port) => `https://user:pass@${host}:${port}/`,
  'public host as user name': (host, port) => `https://hooks.example.com@${host}:${port}/`,
  'public host and port as password': (host, port) => `https://hooks.example.com:443@${host}:${port}/`,
  'empty user name': (host, port) => `https://@${host}:${port}/`,
  'fragment with a public host': (host, port) => `https://${host}:${port}/#@hooks.example.com/`,
  'query with a public host': (host, port) => `https://${host}:${port}?@hooks.example.com/`,
  'padded port': (host, port) => `https://${host}:000${port}/`,
  'default port': (host) => `https://${host}/`,
  'port of TLS': (host) => `https://${host}:443/`,
  'port of Postgres': (host) => `https://${host}:5432/`,
  'port of SSH': (host) => `https://${host}:22/`,
  'other protocol': (host, port) => `ftp://${host}:${port}/`,
  'line break': (host, port) => `https://${host}\n:${port}/`,
};

export interface PrivateUrl {
  /** Range and spelling. */
  name: string;
  url: string;
}

/** Every range in every spelling, at a port where a listener counts connections. */
export const privateUrls = (port: number): PrivateUrl[] => {
  const spelled = Object.entries(RANGES).flatMap(([range, addresses]) =>
    addresses.flatMap((address) =>
      Object.entries(SPELLINGS).map(([name, spell]) => ({
        name: `${range}, ${address}, ${name}`,
        url: `https://${spell(address)}:${port}/hook`,
      })),
    ),
  );
  const literal = [...IPV6.map((address) => `[${address}]`), ...NAMES];
  const decorated = ['127.0.0.1', '[::1]', '0x7f.1', '169.254.169.254', 'localhost'].flatMap((host) =>
    Object.entries(DECORATIONS).map(([name, decorate]) => ({ name: `${host}, ${name}`, url: decorate(host, port) })),
  );
  return [...spelled, ...literal.map((host) => ({ name: host, url: `https://${host}:${port}/hook` })), ...decorated];
};
