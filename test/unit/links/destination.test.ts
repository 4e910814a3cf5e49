import fc from 'fast-check';
import {
  currentTarget,
  type DestinationTerms,
  readDestinationPath,
  readTargetUrl,
} from '../../../src/domains/links/destination.rules.ts';
import { shareUrlOf } from '../../../src/domains/links/share-url.rules.ts';

const listed: DestinationTerms = {
  website: 'https://www.acme.example',
  landingPageUrl: null,
  allowedLandingPages: [
    { path: '/pricing', label: 'Pricing' },
    { path: '/start?plan=pro', label: 'Start' },
  ],
  allowCustomDestinations: false,
};
const custom: DestinationTerms = { ...listed, allowedLandingPages: [], allowCustomDestinations: true };

describe('paths', () => {
  test('a listed path leads to the origin of the website', () => {
    const url = 'https://www.acme.example/pricing';
    expect(readDestinationPath(listed, '/pricing')).toEqual({ url });
    expect(readDestinationPath({ ...listed, website: 'https://www.acme.example/shop?x=1' }, '/pricing')).toEqual({ url });
  });

  test.each(['/other', '/pricing/', '/Pricing', '/pricing?x=1', '/pricing#a', '//evil.example', '/../pricing', 'pricing', ''])(
    '"%s" is not on the list',
    (path) => {
      expect(readDestinationPath(listed, path)).toEqual({ broken: 'not_allowed' });
    },
  );

  test('custom destinations are no reason to accept a path that is not listed', () => {
    expect(readDestinationPath(custom, '/pricing')).toEqual({ broken: 'not_allowed' });
  });

  test('without a website there is no page', () => {
    expect(readDestinationPath({ ...listed, website: null }, '/pricing')).toEqual({ broken: 'no_website' });
  });
});

describe('URLs', () => {
  test.each([
    ['https://www.acme.example/pricing', 'https://www.acme.example/pricing'],
    ['HTTPS://WWW.Acme.Example/pricing', 'https://www.acme.example/pricing'],
    ['https://www.acme.example:443/start?plan=pro', 'https://www.acme.example/start?plan=pro'],
    ['https://acme.example/pricing', 'https://acme.example/pricing'],
    ['https://shop.acme.example/pricing', 'https://shop.acme.example/pricing'],
  ])('%s is allowed by the list, as %s', (text, url) => {
    expect(readTargetUrl(listed, text)).toEqual({ url });
  });

  test.each(['/', '/other', '/pricing/', '/pricing?x=1', '/pricing#a', '/pricing/../other', '/start'])(
    'https://www.acme.example%s is allowed only as a custom destination',
    (path) => {
      const text = `https://www.acme.example${path}`;
      expect(readTargetUrl(listed, text)).toEqual({ broken: 'not_allowed' });
      expect(readTargetUrl(custom, text)).toEqual({ url: new URL(text).href });
    },
  );

  test('text that is not ASCII is encoded', () => {
    expect(readTargetUrl(custom, 'https://acme.example/über?q=ü')).toEqual({
      url: 'https://acme.example/%C3%BCber?q=%C3%BC',
    });
  });

  test('an international domain is compared in its ASCII form', () => {
    const terms = { ...custom, website: 'https://bücher.example' };
    expect(readTargetUrl(terms, 'https://xn--bcher-kva.example/a')).toEqual({ url: 'https://xn--bcher-kva.example/a' });
    expect(readTargetUrl(terms, 'https://shop.bücher.example/a')).toEqual({ url: 'https://shop.xn--bcher-kva.example/a' });
    expect(readTargetUrl(terms, 'https://bucher.example/a')).toEqual({ broken: 'foreign_host' });
  });

  test.each([
    'https://evil.example/pricing',
    'https://evil-acme.example/pricing',
    'https://notacme.example/pricing',
    'https://acme.example.evil.example/pricing',
    'https://www.acme.example.evil.example/pricing',
    'https://acme/pricing',
    'https://example/pricing',
    'https://аcme.example/pricing',
    'https://acmе.example/pricing',
    'https://xn--cme-7cd.example/pricing',
    'https://acme.example%2eevil.example/pricing',
    'https://evil.example?https://acme.example/pricing',
    'https://evil.example#@acme.example/pricing',
    'https://127.0.0.1/pricing',
    'https://[::1]/pricing',
    'https://acme.example:8443/pricing',
    'https://acme.example:80/pricing',
  ])('%s is on a foreign host', (text) => {
    expect(readTargetUrl(custom, text)).toEqual({ broken: 'foreign_host' });
  });

  test.each([
    '',
    '/pricing',
    '//evil.example/pricing',
    '///evil.example',
    '\\\\evil.example',
    '/\\evil.example',
    'https:evil.example',
    'https:/evil.example',
    'https:///evil.example',
    'https:\\\\evil.example',
    'https:/\\evil.example',
    'https://\\evil.example',
    'https://acme.example\\.evil.example/',
    'https://acme.example\\@evil.example/',
    'https://acme.example@evil.example/',
    'https://acme.example:443@evil.example/',
    'https://user:pass@acme.example/',
    'https://@acme.example/',
    'https://:@acme.example/',
    ' https://acme.example/',
    'https://acme.example/ ',
    'https://acme.example/a b',
    'https://acme\t.example/',
    'ht\ntps://acme.example/',
    'https://acme.example/\r\nLocation: https://evil.example',
    'https://acme.example/\u0000',
    'https://acme.example/\u007f',
    'https://acme.example/\ud800',
    'https://ac\u200bme.example/',
    'https://ac\u00adme.example/',
    'https://acme.example/\u202e',
    'http:acme.example',
    'javascript:alert(1)',
    'javascript://acme.example/%0aalert(1)',
    'data:text/html,x',
    'ftp://acme.example/',
    'blob:https://acme.example/a',
    'view-source:https://acme.example/',
    'acme.example/pricing',
    'https://',
    'https://?acme.example',
    'https://[acme.example/',
    'https://acme.example./pricing',
    'https://.acme.example/pricing',
    'https://shop..acme.example/pricing',
    'https://acme.example:99999/',
    'https://acme%00.example/',
  ])('%j is malformed', (text) => {
    expect(readTargetUrl(custom, text)).toEqual({ broken: 'malformed' });
  });

  test('a page of a secure website is secure', () => {
    expect(readTargetUrl(custom, 'http://acme.example/')).toEqual({ broken: 'insecure' });
    const plain = { ...custom, website: 'http://acme.example:8080' };
    expect(readTargetUrl(plain, 'http://acme.example:8080/')).toEqual({ url: 'http://acme.example:8080/' });
    expect(readTargetUrl(plain, 'https://acme.example:8080/')).toEqual({ url: 'https://acme.example:8080/' });
    expect(readTargetUrl(plain, 'http://acme.example/')).toEqual({ broken: 'foreign_host' });
  });

  test('www. is not stripped from a domain that is nothing else', () => {
    expect(readTargetUrl({ ...custom, website: 'https://www.example' }, 'https://evil.example/')).toEqual({
      broken: 'foreign_host',
    });
  });

  test('without a website there is no page', () => {
    expect(readTargetUrl({ ...custom, website: null }, 'https://acme.example/')).toEqual({ broken: 'no_website' });
  });

  test('whatever is accepted leads to the website or a subdomain of it, and is accepted again unchanged', () => {
    const part = fc.constantFrom(
      'https:',
      'http:',
      '/',
      '//',
      '\\',
      '@',
      ':',
      '.',
      'acme.example',
      'evil.example',
      '443',
      '?',
      '#',
      'а',
    );
    const spelling = fc.array(part, { maxLength: 9 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        fc.oneof(
          spelling,
          spelling.map((text) => `https://${text}`),
          fc.webUrl(),
          fc.string(),
        ),
        (text) => {
          const read = readTargetUrl(custom, text);
          if ('broken' in read) return;
          expect(new URL(read.url).host).toMatch(/^(.+\.)?acme\.example$/);
          expect(readTargetUrl(custom, read.url)).toEqual(read);
        },
      ),
      { numRuns: 5_000 },
    );
  });
});

describe('where a link leads', () => {
  const targetUrl = 'https://www.acme.example/pricing';

  test('a target that the program no longer allows is not used', () => {
    expect(currentTarget(listed, targetUrl)).toBe(targetUrl);
    expect(currentTarget({ ...listed, allowedLandingPages: [] }, targetUrl)).toBeNull();
    expect(currentTarget({ ...listed, website: 'https://moved.example' }, targetUrl)).toBeNull();
    expect(currentTarget(listed, null)).toBeNull();
  });

  test('the URL to share is the target, else the landing page, else the website, with the code', () => {
    const landingPageUrl = 'https://start.example/hello?a=1&via=other#top';
    expect(shareUrlOf(listed, { code: 'ada', targetUrl })).toBe('https://www.acme.example/pricing?via=ada');
    expect(shareUrlOf({ ...listed, landingPageUrl }, { code: 'ada', targetUrl: null })).toBe(
      'https://start.example/hello?a=1&via=ada#top',
    );
    expect(shareUrlOf(listed, { code: 'ada', targetUrl: null })).toBe('https://www.acme.example/?via=ada');
    expect(shareUrlOf({ ...listed, website: null }, { code: 'ada', targetUrl: null })).toBeNull();
  });
});
