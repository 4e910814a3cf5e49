/** Control, format and private characters: nobody sees them, and they can forge what is read. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** Fields of which each character is typed elsewhere, such as an IBAN or an address: copied text brings invisible ones along. */
export const withoutInvisible = (text: string): string => text.replace(INVISIBLE, '');

/** Direction marks, joiners and the like. Only for fields without scripts and emoji that need them. */
export const withoutFormat = (text: string): string => text.replace(/\p{Cf}/gu, '');

/** What turns the direction of what follows: with it, a name could make its surroundings read as something else. */
export const withoutDirections = (text: string): string => text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');

/** One line of a text that others chose, without control, direction and other invisible characters, which could forge what is read. */
export const visibleLine = (text: string): string =>
  withoutInvisible(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '))
    .replace(/ {2,}/g, ' ')
    .trim();
