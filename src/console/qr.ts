import { encode } from 'uqr';
import { type Html, html } from './html.ts';

/** Modules of white around the code, which readers need. */
const BORDER = 4;

/** The dark modules of one row, as horizontal runs: fewer and longer ones than a square for each. */
const runsOf = (row: readonly boolean[], y: number): string => {
  let runs = '';
  for (let x = 0; x < row.length; ) {
    if (!row[x]) {
      x++;
      continue;
    }
    const start = x;
    while (row[x]) x++;
    runs += `M${start} ${y}h${x - start}v1H${start}z`;
  }
  return runs;
};

/** A QR code as an image: black on white in every color scheme, because many readers see nothing else. `label` says what it holds. */
export const qrCode = (text: string, label: string): Html => {
  const { size, data } = encode(text, { ecc: 'M', border: BORDER });
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${data.map(runsOf).join('')}"/></svg>`;
};
