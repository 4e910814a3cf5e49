/** One `html` template: its texts, and the expressions between them. */
interface Template {
  line: number;
  texts: string[];
  holes: string[];
}

/** Where a string, a comment or a template ends that begins at `from`; `from` itself for anything else. */
const skipQuoted = (source: string, from: number): number => {
  const [first, second] = [source[from], source[from + 1]];
  if (first === '`') return readTemplate(source, from + 1).end;
  if (first === '/' && second === '/') return (source.indexOf('\n', from) + source.length + 1) % (source.length + 1);
  if (first === '/' && second === '*') return source.indexOf('*/', from) + 2;
  if (first !== "'" && first !== '"') return from;
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === first) return at + 1;
  }
  return source.length;
};

/** The end of an expression in braces that begins at `from`. */
const endOfHole = (source: string, from: number): number => {
  let depth = 1;
  for (let at = from; at < source.length; ) {
    const after = skipQuoted(source, at);
    if (after > at) {
      at = after;
      continue;
    }
    if (source[at] === '{') depth++;
    if (source[at] === '}' && --depth === 0) return at;
    at++;
  }
  return source.length;
};

/** A template whose text begins at `from`. */
const readTemplate = (source: string, from: number): { texts: string[]; holes: string[]; end: number } => {
  const texts: string[] = [];
  const holes: string[] = [];
  let text = '';
  for (let at = from; at < source.length; at++) {
    if (source[at] === '`') return { texts: [...texts, text], holes, end: at + 1 };
    if (source[at] === '$' && source[at + 1] === '{') {
      const end = endOfHole(source, at + 2);
      holes.push(source.slice(at + 2, end).trim());
      texts.push(text);
      text = '';
      at = end;
      continue;
    }
    if (source[at] === '\\') text += source[at++];
    text += source[at];
  }
  return { texts: [...texts, text], holes, end: source.length };
};

const templatesIn = (source: string): Template[] =>
  [...source.matchAll(/(?<![\w.])html`/g)].map(({ index }) => {
    const { texts, holes } = readTemplate(source, index + 'html`'.length);
    return { line: source.slice(0, index).split('\n').length, texts, holes };
  });

const URLS = /^(href|src|action|formaction|poster|hx-(get|post|put|patch|delete|push-url|replace-url))$/;
const MADE_ATTRIBUTES = /^attributes\(|\w*[aA]ttributes(\[\w+\])?$/;

/** What a quoted attribute with this value breaks. Holes are marked by NUL. */
const attributeProblem = (name: string, value: string, holes: readonly string[]): string | null => {
  if (/^on/.test(name) || /^(data-)?hx-on/.test(name)) return `${name} runs a script, which the content security policy forbids`;
  if (name === 'style' || name === 'srcdoc') return `${name} is forbidden by the content security policy`;
  if (/^\s*(js|javascript):/.test(value)) return `${name} holds a script, which does nothing`;
  if (/^(data-)?hx-trigger$/.test(name) && value.includes('[')) return 'hx-trigger has a filter, which does nothing';
  if (!URLS.test(name) || holes.length === 0) return null;
  return value === '\0' && holes[0]?.startsWith('url(') ? null : `${name} is not url(…) as a whole`;
};

const NAME = /([\w:@.-]+)\s*=\s*$/;

const problemsIn = ({ texts, holes }: Template): string[] => {
  const problems: string[] = [];
  let state: 'text' | 'tag' | '"' | "'" = 'text';
  let tag = '';
  let name = '';
  let value = '';
  let valueHoles: string[] = [];
  const note = (problem: string | null) => problem !== null && problems.push(problem);
  texts.forEach((text, index) => {
    for (let at = 0; at < text.length; at++) {
      const character = text[at] as string;
      if (state === 'text') {
        if (character !== '<' || !/^[a-z!]/i.test(text.slice(at + 1))) continue;
        state = 'tag';
        tag = '';
      } else if (state === 'tag') {
        if (character === '"' || character === "'") {
          [state, name, value, valueHoles] = [character, NAME.exec(tag)?.[1] ?? '', '', []];
        } else if (character === '>') {
          if (/^style\b/.test(tag) || (/^script\b/.test(tag) && !/\ssrc=/.test(tag))) note(`<${tag}> is inline`);
          state = 'text';
        } else if (/=\s*$/.test(tag) && !/\s/.test(character)) {
          note(`${NAME.exec(tag)?.[1]} has no quotes`);
          tag = '';
        }
        if (state === 'tag') tag += character;
      } else if (character === state) {
        note(attributeProblem(name, value, valueHoles));
        state = 'tag';
        tag += '""';
      } else value += character;
    }
    const hole = holes[index];
    if (hole === undefined) return;
    if (state === '"' || state === "'") {
      value += '\0';
      valueHoles.push(hole);
    } else if (state === 'tag') {
      if (/=\s*$/.test(tag)) note(`${NAME.exec(tag)?.[1]} has no quotes`);
      else if (!MADE_ATTRIBUTES.test(hole)) note(`\${${hole}} stands in a tag: only attributes(…) may`);
    }
  });
  return problems;
};

/** What the templates of a file break, one line each. */
export const templateProblems = (source: string): string[] =>
  templatesIn(source).flatMap((template) => problemsIn(template).map((problem) => `line ${template.line}: ${problem}`));
