/** In this order: most browsers name others too. */
const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdgA?(?:iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const nameIn = (device: string, all: typeof BROWSERS): string | undefined => all.find(([pattern]) => pattern.test(device))?.[1];

/** "Firefox, Windows": of what a browser calls itself. What is not known stays as it is. */
export const deviceName = (device: string): string => {
  const known = [nameIn(device, BROWSERS), nameIn(device, SYSTEMS)].filter((name) => name !== undefined);
  return known.length === 0 ? device : known.join(', ');
};
