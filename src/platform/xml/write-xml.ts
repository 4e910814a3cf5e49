/** An element with its content: text, or elements in their order. What is null is left out. */
export type XmlContent = readonly [
  name: string,
  content: string | readonly (XmlContent | null)[],
  attributes?: Readonly<Record<string, string>>,
];

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const write = ([name, content, attributes = {}]: XmlContent): string => {
  const inside =
    typeof content === 'string' ? escaped(content) : content.map((element) => (element ? write(element) : '')).join('');
  const head = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  return `<${name}${head.join('')}>${inside}</${name}>`;
};

/** A whole document in UTF-8. */
export const writeXml = (root: XmlContent): string => `<?xml version="1.0" encoding="UTF-8"?>\n${write(root)}\n`;
