import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';

/** What is wrong with a file, in words for people. */
export class UnreadableFile extends Error {}

/** An element without its attributes, but for the currency of an amount. */
export interface XmlElement {
  name: string;
  text: string;
  currency: string | null;
  children: XmlElement[];
}

/** The elements of bank messages nest up to about 15 deep. */
const MAX_DEPTH = 40;
/** For one file, far above what ten million characters of bank messages have. */
const MAX_ELEMENTS = 1_000_000;
/** Longer texts are cut. */
const MAX_TEXT = 2_000;
/** What a bank adds in a namespace of its own. */
const EXTENSION = 'SplmtryData';
const CHUNK = 65_536;

export interface XmlReader {
  /** Local names of the elements that are handed over. */
  records: ReadonlySet<string>;
  /** After the element ended, with the elements around it. It is forgotten then. */
  take(record: XmlElement, around: readonly XmlElement[]): void;
}

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFile('The file is not UTF-8');
  }
};

/**
 * Reads a file element by element, so that a large one is never in memory as a tree: `begin` chooses the reader by the namespace of the
 * root, and every element must be of that. Without DTD and entities of its own. Returns what remains of the root. Throws `UnreadableFile`.
 */
export const readXml = (bytes: Uint8Array, begin: (namespace: string) => XmlReader | null): XmlElement => {
  const parser = new SaxesParser({ xmlns: true, position: false });
  const open: XmlElement[] = [];
  let root: XmlElement | null = null;
  let namespace = '';
  let reader: XmlReader | null = null;
  let elements = 0;
  const refuse = (why: string): never => {
    throw new UnreadableFile(why);
  };
  const enter = (tag: SaxesTagNS): void => {
    elements += 1;
    if (open.length >= MAX_DEPTH || elements > MAX_ELEMENTS) refuse('The file has more elements than a bank message');
    const element = elementOf(tag);
    if (!root) {
      root = element;
      namespace = tag.uri;
      reader = begin(namespace) ?? refuse('The file is no status file or statement that is supported');
    } else if (tag.uri !== namespace && !open.some(({ name }) => name === EXTENSION)) {
      refuse('The file mixes messages of two kinds');
    }
    open.at(-1)?.children.push(element);
    open.push(element);
  };
  const leave = (): void => {
    const element = open.pop();
    const parent = open.at(-1);
    if (!element || !parent || !reader?.records.has(element.name)) return;
    reader.take(element, open);
    parent.children.pop();
  };
  const addText = (text: string): void => {
    const element = open.at(-1);
    if (element && element.text.length < MAX_TEXT) element.text = (element.text + text).slice(0, MAX_TEXT);
  };
  parser.on('error', () => refuse('The file is not well-formed XML'));
  parser.on('doctype', () => refuse('The file has a document type, which bank messages do not have'));
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && encoding.toLowerCase() !== 'utf-8') refuse('The file is not UTF-8');
  });
  parser.on('opentag', enter);
  parser.on('closetag', leave);
  parser.on('text', addText);
  parser.on('cdata', addText);
  const text = decode(bytes);
  for (let at = 0; at < text.length; at += CHUNK) parser.write(text.slice(at, at + CHUNK));
  parser.close();
  return root ?? refuse('The file is empty');
};

const elementOf = (tag: SaxesTagNS): XmlElement => {
  const currency: SaxesAttributeNS | undefined = tag.attributes['Ccy'];
  return { name: tag.local, text: '', currency: currency?.value.slice(0, 3).toLowerCase() ?? null, children: [] };
};

/** The first element below another by the path, or null. */
export const find = (element: XmlElement | null | undefined, ...path: readonly string[]): XmlElement | null => {
  let found = element ?? null;
  for (const name of path) found = found?.children.find((child) => child.name === name) ?? null;
  return found;
};

export const all = (element: XmlElement | null, name: string): XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? [];

/** Without spaces around it; null when there is none. */
export const textOf = (element: XmlElement | null | undefined, ...path: readonly string[]): string | null => {
  const text = find(element, ...path)?.text.trim() ?? '';
  return text === '' ? null : text;
};
