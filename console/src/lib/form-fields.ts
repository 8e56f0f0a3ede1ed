import type { FieldProblem } from './problem.ts';

/** Values of a submitted form; what makes no sense is gathered in `wrong`, under the names of its fields. */
export type FormFields = ReturnType<typeof readFields>;

/** Reader of a submitted form. Invalid numbers are collected in `wrong`, so that no hidden default is sent. */
export function readFields(data: FormData) {
  const wrong: FieldProblem[] = [];
  const text = (name: string): string => String(data.get(name) ?? '').trim();
  const number = (name: string, isValid: (value: number) => boolean): number | null => {
    const raw = text(name);
    if (raw === '') return null;
    const value = Number(raw);
    if (isValid(value)) return value;
    wrong.push({ field: name, message: raw, code: 'NO_NUMBER' });
    return null;
  };
  return {
    wrong,
    text,
    /** Text, or null where it was left empty, which the graph takes for absent. */
    maybe: (name: string): string | null => text(name) || null,
    /** Text as it was typed, with its spaces. */
    raw: (name: string): string => String(data.get(name) ?? ''),
    /** Words between spaces and commas. */
    list: (name: string): string[] =>
      text(name)
        .split(/[\s,]+/)
        .filter(Boolean),
    whole: (name: string): number | null => number(name, Number.isSafeInteger),
    decimal: (name: string): number | null => number(name, Number.isFinite),
    /** Marks a field that was left empty, with the message of its code unless another is given. */
    need(name: string, message = ''): void {
      if (text(name) === '') wrong.push({ field: name, message, code: message === '' ? 'VAL_REQUIRED_FIELD' : '' });
    },
  };
}
