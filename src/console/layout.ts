import { visibleLine } from '../platform/visible-line.ts';
import { HTMX, SCRIPT, STYLE } from './assets.ts';
import { LOGO_HEIGHT } from './brand.ts';
import { notice } from './components/blocks.ts';
import type { Flash } from './flash.ts';
import { attributes, type Html, html } from './html.ts';
import { type IconName, icon } from './icons.ts';
import { nameOf } from './name.ts';
import type { Audience, View } from './page.ts';
import type { Texts } from './texts/texts.ts';
import { url } from './url.ts';

export interface NavigationLink {
  href: string;
  label: string;
  icon: IconName;
  isCurrent: boolean;
}

export interface LayoutOf {
  audience: Audience;
  language: string;
  texts: Texts;
  view: View;
  navigation: readonly NavigationLink[];
  /** Where the pages of the audience begin. */
  home: string;
  flash: Flash | null;
  /** Who is signed in, and as what. */
  person: { name: string; owner: string | null } | null;
  /** Where a person who acts for a company chooses another one; null on other pages, and when there is no such page. */
  companiesPath: string | null;
  /** Where a person signs out; null when there is no such page. */
  signOutPath: string | null;
  /** Whether a script shows the page in place of another one: then its heading takes the focus, so that it is read. */
  isBoosted: boolean;
}

const navigationOf = ({ navigation, texts }: LayoutOf): Html | false => {
  if (navigation.length === 0) return false;
  const links = navigation.map(
    ({ href, label, icon: name, isCurrent }) =>
      html`<li><a href="${url(href)}"${attributes({ 'aria-current': isCurrent && 'page' })}>${icon(name)}${label}</a></li>`,
  );
  return html`<nav id="navigation" popover aria-label="${texts.kit.mainNavigation}"><ul>${links}</ul></nav>`;
};

const ownerOf = (name: string, companiesPath: string | null): Html =>
  companiesPath === null ? html`<span>${nameOf(name)}</span>` : html`<a href="${url(companiesPath)}">${nameOf(name)}</a>`;

const personOf = ({ person, companiesPath, signOutPath, texts }: LayoutOf): Html | false | null =>
  person &&
  html`<div class="person">${ownerOf(person.owner ?? person.name, companiesPath)}${
    signOutPath !== null &&
    html`<form method="post" action="${url(signOutPath)}"><button class="quiet small">${texts.kit.signOut}</button></form>`
  }</div>`;

const logoOf = ({ brand }: View): Html | false =>
  brand?.logo !== undefined &&
  html`<img src="${url(brand.logo.path)}" alt="" width="${brand.logo.width}" height="${LOGO_HEIGHT}">`;

/** A whole document. Scripts, and styles of a program, stand where a browser that shows the page in place of another one finds them. */
export const layout = (of: LayoutOf): Html => {
  const { audience, language, texts, view, navigation, home, flash, isBoosted } = of;
  const hasProblems = view.status !== undefined && view.status >= 400;
  const brand = visibleLine(view.brand?.name ?? 'Tributary');
  // Names that others chose are part of titles.
  const own = visibleLine(view.title);
  const title = `${hasProblems ? `${texts.kit.errorInTitle}: ` : ''}${own} · ${brand}`;
  const takesFocus = isBoosted && !hasProblems;
  // In the frame of another site, browsers let no script move the focus to a page that replaced another one.
  const boosts = audience !== 'embed';
  return html`<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><meta name="htmx-config" content="includeIndicatorCSS:false"><title>${title}</title><link rel="stylesheet" href="${url(STYLE.url)}"><link rel="icon" href="data:,"><script src="${url(HTMX.url)}" defer></script><script src="${url(SCRIPT.url)}" defer></script></head><body class="${audience}"${attributes({ 'hx-boost:inherited': boosts && 'true' })}>${view.brand?.stylesheet !== undefined && html`<link rel="stylesheet" href="${url(view.brand.stylesheet)}">`}<a class="skip" href="#main">${texts.kit.skipToContent}</a><header>${
    navigation.length > 0 &&
    html`<button type="button" class="quiet menu" popovertarget="navigation" aria-label="${texts.kit.menu}">${icon('menu')}<span>${texts.kit.menu}</span></button>`
  }<a class="home" href="${url(home)}">${logoOf(view)}${brand}</a>${personOf(of)}</header><div class="frame">${navigationOf(of)}<main id="main" tabindex="-1">${flash && html`<div role="status">${notice(flash.text, flash.tone)}</div>`}<div class="head"><h1${attributes({ tabindex: takesFocus && '-1', autofocus: takesFocus })}>${view.heading ?? own}</h1>${view.actions && html`<div class="actions">${view.actions}</div>`}</div>${view.content}</main></div>${view.scripts?.map((script) => html`<script src="${url(script.url)}"></script>`)}</body></html>`;
};
