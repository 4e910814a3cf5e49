type Names = readonly (readonly [name: string, ...patterns: RegExp[]])[];

/** In this order: most browsers name others too. */
const BROWSERS: Names = [
  ['Edge', /\bEdgA?(?:iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Headless)?Chrom(?:e|ium)\/|\bCriOS\//],
  ['Safari', /\bVersion\//, /\bSafari\//],
];

const SYSTEMS: Names = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];

const nameIn = (device: string, all: Names): string | undefined =>
  all.find(([, ...patterns]) => patterns.every((pattern) => pattern.test(device)))?.[0];

/** "Firefox, Windows": of what a browser calls itself. What is not known stays as it is. */
export const deviceName = (device: string): string => {
  const known = [nameIn(device, BROWSERS), nameIn(device, SYSTEMS)].filter((name) => name !== undefined);
  return known.length === 0 ? device : known.join(', ');
};
