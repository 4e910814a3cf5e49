import { escapeHtml } from '../../platform/http/escape-html.ts';
import type { StoredMail } from './mail-content.rules.ts';

export interface RenderedMail {
  subject: string;
  html: string;
  text: string;
}

/** The link by which the recipient ends such mails. */
interface Ending {
  url: string;
  label: string;
}

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const TEXT = `margin:0 0 16px;font-size:16px;line-height:24px;color:#24292f;${FONT}`;
const CELL = `padding:10px 0;border-bottom:1px solid #e6e8eb;font-size:15px;line-height:22px;vertical-align:top;${FONT}`;
const BREAK = 'overflow-wrap:anywhere;word-break:break-word';

const paragraph = (text: string): string => `<p style="${TEXT};${BREAK}">${escapeHtml(text)}</p>`;

const row = ([name, value]: readonly [string, string]): string =>
  `<tr><td width="45%" style="${CELL};color:#57606a;padding-right:12px">${escapeHtml(name)}</td>` +
  `<td style="${CELL};color:#24292f;font-weight:600;${BREAK}">${escapeHtml(value)}</td></tr>`;

const section = ({ title, facts }: StoredMail['sections'][number]): string =>
  (title === null
    ? ''
    : `<h2 style="margin:24px 0 4px;font-size:17px;line-height:24px;color:#24292f;${FONT};${BREAK}">${escapeHtml(title)}</h2>`) +
  `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 20px;border-collapse:collapse">${facts.map(row).join('')}</table>`;

/** At the end of a sentence of ours; what others chose has no URL. */
const URL_AT_END = /(?<=: )https?:\/\/\S+$/;

const linked = (text: string, color: string): string => {
  const [url] = URL_AT_END.exec(text) ?? [];
  if (url === undefined) return escapeHtml(text);
  const shown = escapeHtml(url);
  return `${escapeHtml(text.slice(0, -url.length))}<a href="${shown}" style="color:${color}">${shown}</a>`;
};

const steps = (texts: readonly string[]): string =>
  texts.length === 0
    ? ''
    : `<div style="margin:0 0 20px;padding:16px 18px 4px;background:#f3f5f8;border-radius:6px"><p style="margin:0 0 8px;font-size:15px;line-height:22px;font-weight:600;color:#24292f;${FONT}">What to do</p>${texts
        .map(
          (text) =>
            `<p style="margin:0 0 12px;font-size:15px;line-height:22px;color:#24292f;${FONT};${BREAK}">${linked(text, '#0550ae')}</p>`,
        )
        .join('')}</div>`;

/** Tables and inline styles only: mail programs drop the rest. No image, font or link makes a request when it is opened. */
const toHtml = ({ subject, heading, paragraphs, sections, steps: texts, footer }: StoredMail, ending: Ending | null): string =>
  [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">',
    `<meta name="color-scheme" content="light"><title>${escapeHtml(subject)}</title></head>`,
    '<body style="margin:0;padding:0;background:#eef0f3">',
    '<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:24px 12px">',
    '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px;table-layout:fixed;background:#ffffff;border-radius:8px">',
    '<tr><td style="padding:28px 24px 12px">',
    `<h1 style="margin:0 0 16px;font-size:22px;line-height:30px;color:#0f1720;${FONT};${BREAK}">${escapeHtml(heading)}</h1>`,
    ...paragraphs.map(paragraph),
    ...sections.map(section),
    steps(texts),
    '</td></tr>',
    `<tr><td style="padding:14px 24px 22px;border-top:1px solid #e6e8eb;font-size:13px;line-height:19px;color:#57606a;${FONT};${BREAK}">${linked(footer, '#57606a')}${ending === null ? '' : ` <a href="${escapeHtml(ending.url)}" style="color:#57606a">${escapeHtml(ending.label)}</a>`}</td></tr>`,
    '</table></td></tr></table></body></html>',
  ].join('\n');

const toText = ({ heading, paragraphs, sections, steps: texts, footer }: StoredMail, ending: Ending | null): string =>
  [
    heading,
    ...paragraphs,
    ...sections.map(({ title, facts }) =>
      [...(title === null ? [] : [title]), ...facts.map(([name, value]) => `${name}: ${value}`)].join('\n'),
    ),
    ...(texts.length === 0 ? [] : [['What to do', ...texts.map((text) => `- ${text}`)].join('\n')]),
    `-- \n${footer}${ending === null ? '' : `\n${ending.label}: ${ending.url}`}`,
  ].join('\n\n');

/** The one layout of all mails. Every value is escaped. */
export const renderMail = (content: StoredMail, ending: Ending | null = null): RenderedMail => ({
  subject: content.subject,
  html: toHtml(content, ending),
  text: `${toText(content, ending)}\n`,
});
