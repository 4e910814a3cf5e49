const PLACEHOLDERS = ['affiliate_link', 'affiliate_code', 'program_name'] as const;

const PATTERN = new RegExp(`\\{\\{\\s*(${PLACEHOLDERS.join('|')})\\s*\\}\\}`, 'g');

/** Replaces the placeholders once: a value that looks like one stays as it is, as does every other text in braces. */
export const renderText = (text: string, values: Readonly<Record<(typeof PLACEHOLDERS)[number], string>>): string =>
  text.replaceAll(PATTERN, (_, name: (typeof PLACEHOLDERS)[number]) => values[name]);
