import type { FieldProblem } from './problem.ts';

/**
 * Reads what was sent of a form. Numbers that are none are gathered in `wrong`, under their fields' names: nothing goes
 * out that the reader does not see.
 */
export function readFields(data: FormData) {
  const wrong: FieldProblem[] = [];
  const text = (name: string): string => String(data.get(name) ?? '').trim();
  const number = (name: string, isOne: (value: number) => boolean): number | null => {
    const words = text(name);
    if (words === '') return null;
    const value = Number(words);
    if (isOne(value)) return value;
    wrong.push({ field: name, message: words, code: 'NO_NUMBER' });
    return null;
  };
  return {
    wrong,
    text,
    /** What was left empty is null, which the graph takes for absent. */
    maybe: (name: string): string | null => text(name) || null,
    whole: (name: string): number | null => number(name, Number.isSafeInteger),
    decimal: (name: string): number | null => number(name, Number.isFinite),
    /** What the form cannot be sent without. */
    need(name: string): void {
      if (text(name) === '') wrong.push({ field: name, message: '', code: 'VAL_REQUIRED_FIELD' });
    },
  };
}
