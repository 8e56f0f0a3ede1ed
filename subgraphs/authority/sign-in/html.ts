/** Markup that is safe as it is. */
export interface Html {
  readonly html: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** Tags markup: text is escaped, markup nests, undefined is nothing. */
export const html = (strings: TemplateStringsArray, ...values: readonly (Html | string | undefined)[]): Html => ({
  html: strings.reduce((text, part, i) => {
    const value = i === 0 ? undefined : values[i - 1];
    return text + (typeof value === 'string' ? escaped(value) : (value?.html ?? '')) + part;
  }, ''),
});
