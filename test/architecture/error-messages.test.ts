import { filesAt, readText } from './project.ts';

const SOURCES = filesAt('src/**/*.ts').filter(
  (path) => !/^src\/(local\/(paypal-double|sandbox-provider|stack|demo)|cli)\//.test(path),
);
const TEXT = /(['`])((?:(?!\1).)+)\1/;

/** The message of each call, which is its second argument. Messages in constants are not found. */
const messagesOf = (call: string): string[] =>
  SOURCES.flatMap((path) =>
    [...readText(path).matchAll(new RegExp(`\\b${call}\\(\\s*'[\\w.]+',\\s*${TEXT.source}`, 'g'))].map(
      ([, , message = '']) => `${path}: ${message}`,
    ),
  );

const textOf = (found: string): string => found.slice(found.indexOf(': ') + 2);

/** A sentence about the request: it begins with a capital, ends without a period, and names no one. */
const isMessage = (text: string): boolean =>
  /^[A-Z$]/.test(text) && !/[.!]$/.test(text) && !/\b(sorry|please|oops|we|you|I)\b/i.test(text) && text.length <= 160;

test('N10: messages of errors are plain sentences', () => {
  const messages = [...messagesOf('AppError'), ...messagesOf('conflict')];
  expect(messages.length).toBeGreaterThan(25);
  expect(messages.filter((found) => !isMessage(textOf(found)) && !/Include the request id/.test(found))).toEqual([]);
});

test('N10: messages of fields complete a sentence that begins with the name of the field', () => {
  const messages = messagesOf('invalidField');
  expect(messages.length).toBeGreaterThan(8);
  expect(messages.filter((found) => !/^(is|must|contains|can|\$\{)/.test(textOf(found)))).toEqual([]);
});
