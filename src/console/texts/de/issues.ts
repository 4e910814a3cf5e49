/** What the API says about a field, as the end of a sentence that begins with its name. */
const ISSUES: readonly (readonly [english: RegExp, german: string])[] = [
  [/^is required$/, 'fehlt'],
  [/^must not be empty$/, 'darf nicht leer sein'],
  [/^must be an email address$/, 'muss eine E-Mail-Adresse sein'],
  [/^must be an absolute URL.*$/, 'muss eine vollständige Webadresse sein'],
  [/^must be an integer$/, 'muss eine ganze Zahl sein'],
  [/^must be a number$/, 'muss eine Zahl sein'],
  [/^must be an ISO 8601 date.*$/, 'muss ein Datum sein'],
  [/^must be at least (\d+)$/, 'muss mindestens $1 sein'],
  [/^must be at most (\d+)$/, 'darf höchstens $1 sein'],
  [/^must be greater than (\d+)$/, 'muss größer als $1 sein'],
  [/^must be less than (\d+)$/, 'muss kleiner als $1 sein'],
  [/^must have at least (\d+) characters?$/, 'muss mindestens $1 Zeichen haben'],
  [/^must have at most (\d+) characters?$/, 'darf höchstens $1 Zeichen haben'],
  [/^must have at most (\d+) items?$/, 'darf höchstens $1 Einträge haben'],
  [/^must have exactly (\d+) characters?$/, 'muss genau $1 Zeichen haben'],
  [/^must be one line of plain text$/, 'muss eine Zeile Text ohne Steuerzeichen sein'],
  [/^is not a valid IBAN$/, 'ist keine gültige IBAN'],
  [/^is not a valid BIC$/, 'ist kein gültiger BIC'],
  [/^must not be before (\w+)$/, 'darf nicht vor $1 liegen'],
  [/^is malformed$/, 'ist nicht richtig geschrieben'],
  [/^is not valid$/, 'ist ungültig'],
];

/** What has no translation stays as it is. */
export const germanIssue = (message: string): string => {
  for (const [english, german] of ISSUES) if (english.test(message)) return message.replace(english, german);
  return message;
};
