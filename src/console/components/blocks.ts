import { type Child, type Html, html } from '../html.ts';
import { type IconName, icon } from '../icons.ts';
import type { Texts } from '../texts/texts.ts';
import { url } from '../url.ts';

export type Tone = 'neutral' | 'good' | 'warning' | 'bad';

/** A state in one or two words. */
export const badge = (text: string, tone: Tone = 'neutral'): Html => html`<span class="badge ${tone}">${text}</span>`;

const NOTICE_ICONS = { neutral: 'info', good: 'check', warning: 'alert', bad: 'alert' } as const;

/** A box that says something about the page. */
export const notice = (content: Child, tone: Tone = 'neutral'): Html =>
  html`<div class="notice ${tone}">${icon(NOTICE_ICONS[tone])}<div>${content}</div></div>`;

/** A link that looks like a button. */
export const buttonLink = (href: string, text: string, kind: 'primary' | 'secondary' = 'secondary'): Html =>
  html`<a class="button ${kind}" href="${url(href)}">${text}</a>`;

export interface EmptyState {
  icon: IconName;
  title: string;
  text?: Child;
  action?: Html;
}

/** In place of a list without entries: what it would show, and what to do next. */
export const emptyState = (of: EmptyState): Html =>
  html`<div class="empty">${icon(of.icon)}<p><strong>${of.title}</strong></p>${of.text && html`<p>${of.text}</p>`}${of.action}</div>`;

export interface Figure {
  label: string;
  value: Child;
  note?: Child;
  href?: string | undefined;
  tone?: Tone;
}

/** Cards with one figure each. */
export const figures = (all: readonly Figure[]): Html =>
  html`<ul class="figures">${all.map(
    ({ label, value, note, href, tone = 'neutral' }) =>
      html`<li class="${tone}"><span class="label">${href === undefined ? label : html`<a href="${url(href)}">${label}</a>`}</span><strong>${value}</strong>${note && html`<span class="note">${note}</span>`}</li>`,
  )}</ul>`;

/** Names and values of one object. Values that are null are left out. */
export const facts = (all: readonly (readonly [name: string, value: Child])[]): Html =>
  html`<dl class="facts">${all.map(([name, value]) => value !== null && value !== undefined && html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/** How far something is. */
export const progress = (of: { label: string; value: number; max: number; text: string }): Html =>
  html`<div class="progress"><label>${of.label} <progress value="${of.value}" max="${Math.max(1, of.max)}">${of.text}</progress></label><span>${of.text}</span></div>`;

/** A text with a button that copies it. Without scripts, the button is not there. */
export const copyable = (text: string, texts: Texts): Html =>
  html`<span class="copyable"><code>${text}</code><button type="button" class="secondary small" data-copy="${text}" data-copied="${texts.kit.copied}">${icon('copy')}<span>${texts.kit.copy}</span></button></span>`;

/** A button that opens a box above the page, without scripts. `id` is unique on the page. */
export const dialog = (of: { id: string; open: string; title: string; content: Child; tone?: 'danger' }, texts: Texts): Html =>
  html`<button type="button" class="secondary ${of.tone}" popovertarget="${of.id}">${of.open}</button><dialog id="${of.id}" popover aria-labelledby="${of.id}-title"><div class="dialog-head"><h2 id="${of.id}-title">${of.title}</h2><button type="button" class="quiet" popovertarget="${of.id}" popovertargetaction="hide" aria-label="${texts.kit.close}">${icon('cross')}</button></div>${of.content}</dialog>`;

export interface Tab {
  label: string;
  href: string;
  isCurrent: boolean;
}

/** Links between pages that belong together. */
export const tabs = (label: string, all: readonly Tab[]): Html =>
  html`<nav class="tabs" aria-label="${label}">${all.map(({ label: text, href, isCurrent }) =>
    isCurrent ? html`<a href="${url(href)}" aria-current="page">${text}</a>` : html`<a href="${url(href)}">${text}</a>`,
  )}</nav>`;
