/**
 * Terms that have a standard replacement. Keys are patterns over lowercase words: `startStory`, `start_story` and
 * "start story" all read `start story`.
 */
const REPLACEMENTS: Record<string, string> = {
  'stor(y|ies)': 'workflow',
  '(sees?|seen|seeing) (it |them )?through': 'carry out, execute',
  rooms: 'domains, modules',
  room: 'domain, module',
  'doors?': 'public interface, entry point, endpoint',
  'walls?(?! clock| time)': 'module boundary, limit',
  'knock(s|ed|ing)?': 'depend on, import',
  'patience|patient': 'timing, timeout, deadline',
  hurry: 'FAST_TIMING',
  'notices?': 'notification',
  'fuses?|burnt': 'schedule-to-close timeout, timed out',
  farewell: 'graceful shutdown',
  'happenings?': 'timeline entry, event',
  vault: 'FieldCipher',
  '(un)?seal(s|ed|ing)?': 'encrypt, decrypt, ciphertext',
  'reviv(e|es|ed|ing)': 'restart',
  obstacle: 'failBefore',
  manner: 'responseMode',
  'insist(s|ed|ing)?': 'retry, repeat',
  '(oddity|oddities)': 'ambiguity, inconsistency',
  'verdicts?': 'outcome, result',
  'judge(s|d)?|judging': 'validate, classify',
  'key ring': 'ApiKeyCache',
  'refusals?': 'AppError, client error, rejection',
  'stored answers?': 'StoredResponse',
  'learn facts?': 'applyRailStatus',
  'ask person': 'requestManualReview',
  'may move': 'canTransition',
  'main job': 'demo scenario',
  'by hand': 'manual, manually',
  dice: 'seeded random',
  crew: 'processes',
  planted: 'example, known value, violation',
};

/** Patterns over the text itself, where case or punctuation matters. */
const CODE_REPLACEMENTS: [RegExp, string][] = [
  [/\bMOST_\w+/g, 'MAX_…'],
  [/\bsay\(/g, 'log(, onProgress('],
];

const PHRASES = Object.entries(REPLACEMENTS).map(([pattern, replacement]): [RegExp, string] => [
  new RegExp(`(?<![a-z])(${pattern})(?![a-z])`, 'g'),
  replacement,
]);

/** Splits camelCase, kebab-case and snake_case: `mayMoveTo` reads `may move to`. */
const toWords = (text: string): string =>
  (text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^A-Za-z\s_-]/g) ?? []).join(' ').toLowerCase();

/** One message per occurrence: `<place>:<line>: "<term>", use <replacement>`. The place itself is checked as line 0. */
export const findWordingProblems = (place: string, text: string): string[] =>
  [place, ...text.split('\n')].flatMap((line, at) => {
    const words = toWords(line);
    const found = (source: string, pairs: [RegExp, string][]) =>
      pairs.flatMap(([pattern, use]) => [...source.matchAll(pattern)].map(([term]) => `${place}:${at}: "${term}", use ${use}`));
    return [...found(words, PHRASES), ...found(line, CODE_REPLACEMENTS)];
  });
