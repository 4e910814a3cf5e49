import fc from 'fast-check';
import { readLanding } from '../../../src/domains/tracking/landing.rules.ts';

test('what is kept of any page and referrer is bounded, and text that Postgres can store', () => {
  const text = fc.string({ unit: 'binary', maxLength: 3_000 });
  fc.assert(
    fc.property(text, text, text, (source, term, referrer) => {
      const url = new URL('https://acme.example/');
      url.searchParams.set('utm_source', source.toWellFormed());
      url.searchParams.set('utm_term', term.toWellFormed());
      const landing = readLanding({ pageUrl: url.href, referrer });
      expect(landing.source.length).toBeLessThanOrEqual(64);
      for (const value of [landing.source, landing.referrer ?? '', ...Object.values(landing.campaign)]) {
        expect(value.isWellFormed() && !value.includes('\u0000')).toBe(true);
      }
      for (const value of Object.values(landing.campaign)) expect(value.length).toBeLessThanOrEqual(255);
    }),
  );
});

test('a user name in a page or referrer is not kept', () => {
  expect(readLanding({ pageUrl: 'https://ada:secret@acme.example/a', referrer: 'https://bob@blog.example/b' })).toMatchObject({
    page: 'https://acme.example/a',
    referrer: 'https://blog.example/b',
  });
});
