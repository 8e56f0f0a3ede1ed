/** Escaped markup. */
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

type Value = Html | string | undefined;

const format = (value: Value): string => (typeof value === 'string' ? escaped(value) : (value?.html ?? ''));

const isList = (value: Value | readonly Value[]): value is readonly Value[] => Array.isArray(value);

/** Template tag of markup: text is escaped, markup nests, lists are concatenated, undefined is empty. */
export const html = (strings: TemplateStringsArray, ...values: readonly (Value | readonly Value[])[]): Html => ({
  html: strings.reduce((text, part, i) => {
    const value = i === 0 ? undefined : values[i - 1];
    return text + (isList(value) ? value.map(format).join('') : format(value)) + part;
  }, ''),
});
