import { type Html, html } from './html.ts';

/** Drawn in a square of 24, with the color of the text around it. */
const SHAPES = {
  add: html`<path d="M12 5v14M5 12h14"/>`,
  alert: html`<path d="M12 3 2.5 20h19zM12 10v4m0 3v.01"/>`,
  back: html`<path d="M19 12H5m6-6-6 6 6 6"/>`,
  bell: html`<path d="M6 16V11a6 6 0 1 1 12 0v5l2 2H4zM10 21h4"/>`,
  book: html`<path d="M5 4h12a2 2 0 0 1 2 2v14H7a2 2 0 0 1-2-2zm0 14a2 2 0 0 1 2-2h12"/>`,
  chart: html`<path d="M4 20h16M7 16v-5m5 5V6m5 10v-7"/>`,
  check: html`<path d="m5 13 4 4L19 7"/>`,
  clock: html`<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 3"/>`,
  columns: html`<rect x="3" y="5" width="18" height="14" rx="2"/><path d="M9 5v14m6-14v14"/>`,
  copy: html`<rect x="9" y="9" width="11" height="11" rx="2"/><path d="M5 15H4V6a2 2 0 0 1 2-2h9v1"/>`,
  cross: html`<path d="M6 6l12 12M18 6 6 18"/>`,
  down: html`<path d="M12 4v12m-5-5 5 5 5-5M5 20h14"/>`,
  flag: html`<path d="M6 21V4h11l-2 4 2 4H6"/>`,
  gear: html`<circle cx="12" cy="12" r="3"/><path d="M12 3v3m0 12v3M3 12h3m12 0h3M5.6 5.6l2.2 2.2m8.4 8.4 2.2 2.2m0-12.8-2.2 2.2m-8.4 8.4-2.2 2.2"/>`,
  home: html`<path d="m4 11 8-7 8 7v9h-5v-6H9v6H4z"/>`,
  info: html`<circle cx="12" cy="12" r="9"/><path d="M12 11v5m0-8v.01"/>`,
  key: html`<circle cx="8" cy="15" r="4"/><path d="m11 12 9-9m-4 4 3 3"/>`,
  link: html`<path d="M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1m2 4a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1"/>`,
  menu: html`<path d="M4 7h16M4 12h16M4 17h16"/>`,
  money: html`<rect x="3" y="6" width="18" height="12" rx="2"/><circle cx="12" cy="12" r="2.5"/><path d="M6.5 12h.01m10.99 0h.01"/>`,
  person: html`<circle cx="12" cy="8" r="4"/><path d="M4 21c0-4 4-6 8-6s8 2 8 6"/>`,
  people: html`<circle cx="9" cy="8" r="3.5"/><path d="M2.5 20c0-4 3-5.5 6.5-5.5s6.5 1.5 6.5 5.5M16 4.5a3.5 3.5 0 0 1 0 7m2 3c2.5.6 3.5 2.5 3.5 5.5"/>`,
  search: html`<circle cx="11" cy="11" r="6"/><path d="m20 20-4.5-4.5"/>`,
  shield: html`<path d="M12 3 5 6v5c0 5 3 8 7 10 4-2 7-5 7-10V6z"/>`,
  store: html`<path d="M4 10v10h16V10M3 10l2-6h14l2 6a3 3 0 0 1-6 0 3 3 0 0 1-6 0 3 3 0 0 1-6 0"/>`,
  webhook: html`<path d="M4 12h4l2-6 4 12 2-6h4"/>`,
} as const satisfies Record<string, Html>;

export type IconName = keyof typeof SHAPES;

/** Beside a text that says the same: readers of the screen skip it. */
export const icon = (name: IconName): Html =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${SHAPES[name]}</svg>`;
