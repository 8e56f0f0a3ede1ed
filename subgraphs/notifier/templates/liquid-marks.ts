// Private-use characters: no message has them, and markup takes them for letters.
const MARK = /\ue000(\d+)\ue001/g;

/** Start of an output or a tag. */
const OPENER = /\{[{%]/g;

/** Replaces each piece of Liquid; searches for each end once, so that a body of openers takes no longer. */
const replaceLiquid = (text: string, replacement: (piece: string) => string): string => {
  let rest = '';
  let at = 0;
  OPENER.lastIndex = 0;
  for (let opener = OPENER.exec(text); opener; opener = OPENER.exec(text)) {
    const end = text.indexOf(opener[0] === '{{' ? '}}' : '%}', opener.index + 2);
    if (end === -1) break;
    rest += text.slice(at, opener.index) + replacement(text.slice(opener.index, end + 2));
    at = end + 2;
    OPENER.lastIndex = at;
  }
  return rest + text.slice(at);
};

/** Markup in which each piece of Liquid is replaced by a mark. */
interface ProtectedLiquid {
  readonly marked: string;
  readonly restore: (markup: string) => string;
}

/**
 * Replaces Liquid by marks while markup is parsed or changed, and puts it back.
 * @param mark mark of the piece with this index, which `pattern` finds again
 */
export const protectLiquid = (
  markup: string,
  mark = (index: number) => `\ue000${index}\ue001`,
  pattern = MARK,
): ProtectedLiquid => {
  const pieces: string[] = [];
  return {
    marked: replaceLiquid(markup.replace(pattern, ''), (piece) => mark(pieces.push(piece) - 1)),
    restore: (text) => text.replace(pattern, (_, index: string) => pieces[Number(index)] ?? ''),
  };
};

/** Text without its Liquid: the part of a template that every message has. */
export const withoutLiquid = (text: string): string => replaceLiquid(text, () => '');
