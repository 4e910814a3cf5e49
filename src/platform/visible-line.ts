/** One line of a text that others chose, without control, direction and other invisible characters, which could forge what is read. */
export const visibleLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Cs}\p{Co}]/gu, '')
    .replace(/ {2,}/g, ' ')
    .trim();
