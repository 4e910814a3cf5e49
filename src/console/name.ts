import { visibleLine } from '../platform/visible-line.ts';
import { type Html, html } from './html.ts';

/** A name that others chose, in a page: one visible line, set apart from the direction of the text around it. */
export const nameOf = (name: string): Html => html`<bdi>${visibleLine(name)}</bdi>`;
