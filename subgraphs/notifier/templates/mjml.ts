import { Engine } from 'mrml/nodejs/mrml_wasm.js';
import { protectLiquid } from './liquid-marks.ts';

/** Whether a body is MJML, which is compiled once, when the template is published. */
export const isMjml = (body: string): boolean => /^\s*<mjml[\s>]/.test(body);

/** Mistake in the MJML of a template. */
export class MjmlError extends Error {
  override readonly name = 'MjmlError';
}

/** Elements of MJML, without includes and fonts of other hosts. */
const ELEMENTS: ReadonlySet<string> = new Set(
  `accordion accordion-element accordion-text accordion-title all attributes body breakpoint button carousel
  carousel-image class column divider group head hero image navbar navbar-link preview raw section social
  social-element spacer style table text title wrapper`.split(/\s+/),
);

/** Element that MJML does not have, which mrml passes over without a word. */
const unknownElement = (body: string): string | undefined =>
  [...body.matchAll(/<mj-([\w-]+)/g)].map(([, name = '']) => name).find((name) => !ELEMENTS.has(name));

/** Word that a body does not have. */
const unusedWord = (body: string): string => {
  let word = 'liquid';
  while (body.includes(word)) word += 'q';
  return word;
};

/**
 * Compiles MJML to HTML. Liquid stays as it is: its quotes and comparisons are no markup. Fonts of other hosts are
 * left out, as loading them tells when a message is read.
 * @throws MjmlError for an unknown element, a syntax error or an include
 */
export const compileMjml = (body: string): string => {
  const unknown = unknownElement(body);
  if (unknown !== undefined) throw new MjmlError(`mj-${unknown} is no element that a template may have`);
  const word = unusedWord(body);
  // Letters and digits, as mrml escapes other marks in the label that it makes of a title.
  const { marked, restore } = protectLiquid(body, (index) => `${word}${index}x`, new RegExp(`${word}(\\d+)x`, 'g'));
  using engine = new Engine();
  engine.setRenderOptions({ disableComments: false, socialIconOrigin: null, fonts: {} });
  const result = engine.toHtml(marked);
  if (result.type === 'error') throw new MjmlError(result.message);
  return restore(result.content);
};
