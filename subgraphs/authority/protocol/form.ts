import { Fault } from '@landfall/kernel/core/fault';
import { parser, patterned } from '@landfall/kernel/operation/input';
import type { Static, TObject, TString } from 'typebox';

/** Parameters of a request, each with one value. */
export type Form = Readonly<Record<string, string>>;

/** A parameter of the protocols: visible ASCII and spaces (RFC 6749 appendix A), `max` characters at most. */
export const parameter = (max: number): TString =>
  patterned('^[ -~]+$', 'may have only visible ASCII characters and spaces', { minLength: 1, maxLength: max });

/** Parameters that may repeat (RFC 8707 2, RFC 8693 2.1), read by `valuesOf`. */
const REPEATABLE: readonly string[] = ['resource', 'audience'];

export const valuesOf = (input: unknown, name: string): readonly string[] => {
  const value: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, name) : undefined;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((item): item is string => typeof item === 'string' && item !== '');
};

/**
 * Reads a form or a query. A parameter without a value counts as omitted (RFC 6749 3.1).
 * @throws Fault invalid_request for a repeated parameter or a NUL character
 */
export const readForm = (value: unknown): Form => {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const form: Record<string, string> = {};
  for (const [name, value] of entries) {
    if (REPEATABLE.includes(name)) continue;
    if (typeof value !== 'string') throw new Fault('invalid_request', `${name} is given more than once.`);
    if (value.includes('\0')) throw new Fault('invalid_request', `${name} holds a NUL character.`);
    if (value !== '') form[name] = value;
  }
  return form;
};

/** Creates a parser of a request. @throws Fault invalid_request naming the first invalid parameter */
export const formParser = <S extends TObject>(schema: S): ((form: Form) => Static<S>) => {
  const parse = parser(schema);
  return (form) => {
    try {
      return parse(form);
    } catch (error) {
      const [first] = error instanceof Fault ? error.fields : [];
      throw first ? new Fault('invalid_request', `${first.field} ${first.message}.`) : error;
    }
  };
};
