import en from '../messages/en.json' with { type: 'json' };

/** Key of a message. A key that is not in en.json does not compile. */
export type MessageKey = keyof typeof en;
type Messages = Readonly<Record<MessageKey, string>>;
type Params = Readonly<Record<string, string | number>>;

let locale = 'en-GB';
let messages: Messages = en;

export function setMessages(next: Messages, nextLocale: string): void {
  messages = next;
  locale = nextLocale;
}

/** Language that dates and numbers are written in, as a BCP 47 tag. */
export const currentLocale = (): string => locale;

export const t = (key: MessageKey, params: Params = {}): string => filled(messages[key], params);

/** Message of a key, or `text` when there is none: a value of a newer server is its own label. */
export const labelOr = (key: string, text: string, params: Params = {}): string => (isKey(key) ? t(key, params) : text);

/** Creates a lookup over a feature's own messages, loaded with its code, and the common ones. */
export const createLabels = <K extends string>(own: Readonly<Record<K, string>>) => {
  const isOwn = (key: string): key is K => Object.hasOwn(own, key);
  return (key: K | MessageKey, params: Params = {}): string => {
    if (isOwn(key)) return filled(own[key], params);
    return isKey(key) ? t(key, params) : key;
  };
};

/** Creates a `labelOr` that searches a feature's own messages before the common ones. */
export const createLabelOr =
  (own: Readonly<Record<string, string>>) =>
  (key: string, text: string, params: Params = {}): string => {
    const content = Object.hasOwn(own, key) ? own[key] : undefined;
    return content === undefined ? labelOr(key, text, params) : filled(content, params);
  };

/** Name, label, hint and example of a field from the messages `key`, `key.hint` and `key.example`, if there are any. */
export const createFieldLabels = <K extends string>(own: Readonly<Record<K, string>>) => {
  const [label, labelOrNone] = [createLabels(own), createLabelOr(own)];
  return (name: string, key: K | MessageKey) => {
    const [hint, placeholder] = [labelOrNone(`${key}.hint`, ''), labelOrNone(`${key}.example`, '')];
    return { name, label: label(key), ...(hint && { hint }), ...(placeholder && { placeholder }) };
  };
};

const isKey = (key: string): key is MessageKey => key in en;

export function count(value: number): string {
  if (numbers?.locale !== locale) numbers = { locale, format: new Intl.NumberFormat(locale) };
  return numbers.format.format(value);
}

/** `a, b and c` in the user's language. */
export const listText = (items: Iterable<string>): string => new Intl.ListFormat(locale).format(items);

/** Cached number formatter: creating one costs far more than using it. */
let numbers: { readonly locale: string; readonly format: Intl.NumberFormat } | undefined;

/** Fills a subset of ICU MessageFormat: `{name}` and `{name, plural, =0 {none} one {# target} other {# targets}}`. */
function filled(template: string, params: Params): string {
  let out = '';
  let index = 0;
  for (let open = template.indexOf('{'); open >= 0; open = template.indexOf('{', index)) {
    const close = closing(template, open);
    out += template.slice(index, open) + argument(template.slice(open + 1, close), params);
    index = close + 1;
  }
  return out + template.slice(index);
}

function argument(source: string, params: Params): string {
  const comma = source.indexOf(',');
  const name = (comma < 0 ? source : source.slice(0, comma)).trim();
  const value = params[name];
  if (value === undefined) throw new Error(`A message lacks its parameter ${name}.`);
  if (comma < 0) return typeof value === 'number' ? count(value) : value;

  const rest = source.slice(comma + 1).trimStart();
  if (!rest.startsWith('plural,') || typeof value !== 'number') {
    throw new Error(`A message asks for an argument that is not a plural of a number: ${source}`);
  }
  const forms = branches(rest.slice('plural,'.length));
  const selected =
    forms.get(`=${value}`) ?? forms.get(new Intl.PluralRules(locale).select(value)) ?? forms.get('other');
  if (selected === undefined) throw new Error(`A plural has no form "other": ${source}`);
  return filled(selected.replaceAll('#', count(value)), params);
}

function branches(source: string): Map<string, string> {
  const forms = new Map<string, string>();
  let index = 0;
  for (let open = source.indexOf('{', index); open >= 0; open = source.indexOf('{', index)) {
    const close = closing(source, open);
    forms.set(source.slice(index, open).trim(), source.slice(open + 1, close));
    index = close + 1;
  }
  return forms;
}

function closing(source: string, open: number): number {
  let depth = 0;
  for (let at = open; at < source.length; at++) {
    if (source[at] === '{') depth++;
    if (source[at] === '}' && --depth === 0) return at;
  }
  throw new Error(`A message has an open brace: ${source}`);
}

const ACCENTS: Readonly<Record<string, string>> = {
  a: 'á',
  e: 'é',
  i: 'í',
  o: 'ó',
  u: 'ú',
  A: 'Á',
  E: 'É',
  O: 'Ó',
  n: 'ñ',
  c: 'ç',
};

/** Pseudo-translation for tests: every message accented and 40 % longer, so that truncated text shows. */
export function pseudo(source: Messages): Messages {
  const out: Record<MessageKey, string> = { ...source };
  for (const key of Object.keys(source)) if (isKey(key)) out[key] = accent(source[key]);
  return out;
}

function accent(text: string): string {
  let depth = 0;
  let letters = 0;
  const body = [...text].map((char) => {
    if (char === '{') depth++;
    if (char === '}') depth--;
    // Odd depth is syntax (names, forms); even depth is text, inside a plural's branches too.
    if (depth % 2 === 1 || char === '}') return char;
    letters++;
    return ACCENTS[char] ?? char;
  });
  return `[${body.join('')}${'·'.repeat(Math.ceil(letters * 0.4))}]`;
}
