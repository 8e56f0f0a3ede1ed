import { protectLiquid } from './liquid-marks.ts';

/** Markup that no mail needs and that mail programs remove or warn about. */
const REFUSED: readonly (readonly [pattern: RegExp, message: string])[] = [
  [/<\s*(?:script|iframe|object|embed|form|base|mj-include)\b/i, 'must not have scripts, frames, forms or includes'],
  [/<[^<>]*\son\w+\s*=/i, 'must not have event handlers'],
  [/data\s*:[^"'\s>]{0,200}\ue000|(?:javascript|vbscript)\s*:/i, 'must not have links that run code'],
  [/=\s*\ue000/, 'must have quotes around attributes with placeholders'],
  [/<style\b[^<>]*>[^<]*\ue000/i, 'must not have placeholders in styles'],
  [/\sstyle\s*=\s*(?:"[^"]*\ue000|'[^']*\ue000)/i, 'must not have placeholders in styles'],
  [/<!--[^<>]*\ue000/, 'must not have placeholders in comments'],
];

const ADDRESS_START = /\b(?:href|src|background|action)\s*=\s*["']\s*(\ue000\d+\ue001)/gi;
/** Placeholder that is an http, https or mailto address, whatever its value. */
const SAFE_ADDRESS = /^\{\{-?\s*links\.\w+\s*-?\}\}$|\|\s*address\s*-?\}\}$/;

/** Mistakes of HTML or MJML that would let a value of an event become markup or a dangerous link. */
export const htmlMistakes = (markup: string): readonly string[] => {
  const { marked, restore } = protectLiquid(markup);
  const mistakes = REFUSED.flatMap(([pattern, message]) => (pattern.test(marked) ? [message] : []));
  const addresses = [...marked.matchAll(ADDRESS_START)].map(([, mark = '']) => restore(mark));
  const unsafe = addresses.filter((placeholder) => !SAFE_ADDRESS.test(placeholder));
  return [
    ...mistakes,
    ...unsafe.map(
      (placeholder) => `must pass an address through a filter: ${placeholder.replace(/\s*-?\}\}$/, ' | address }}')}`,
    ),
  ];
};
