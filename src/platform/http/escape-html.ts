import { visibleLine } from '../visible-line.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** A text that others chose, in a page: it cannot change the order in which its surroundings are read, and shows no other order itself. */
export const enteredText = (text: string): string => `<bdi>${escapeHtml(visibleLine(text))}</bdi>`;
