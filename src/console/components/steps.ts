import { type Child, type Html, html } from '../html.ts';
import { type IconName, icon } from '../icons.ts';

export interface Step {
  label: string;
  /** When it happened, or what it waits for. */
  note: Child;
  state: 'done' | 'current' | 'failed' | 'open';
}

const LOOKS = {
  done: { tone: 'good', icon: 'check', text: 'Done' },
  current: { tone: 'warning', icon: 'clock', text: 'Now' },
  failed: { tone: 'bad', icon: 'cross', text: 'Failed' },
  open: { tone: '', icon: 'clock', text: 'Later' },
} as const satisfies Record<Step['state'], { tone: string; icon: IconName; text: string }>;

/** What has happened and what comes, in one line. */
export const steps = (label: string, all: readonly Step[]): Html =>
  html`<ol class="steps" aria-label="${label}">${all.map(({ label: name, note, state }) => {
    const { tone, icon: shown, text } = LOOKS[state];
    return html`<li class="${tone}">${state !== 'open' && icon(shown)} <strong>${name}</strong> <span class="hidden">${text}</span><div class="note">${note}</div></li>`;
  })}</ol>`;
