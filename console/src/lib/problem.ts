import { CombinedGraphQLErrors, ServerError } from '@apollo/client/errors';
import { t } from './i18n.ts';
import { fieldsOf, parseJson } from './json.ts';

/** Refused input field. `field` is its dotted path in the input. */
export type FieldProblem = { readonly field: string; readonly message: string; readonly code: string };

/** Failure for display: the code of the error table, plain text, and the request's id. */
export type Problem = {
  readonly code: string;
  readonly message: string;
  readonly requestId?: string;
  readonly fields: readonly FieldProblem[];
  /** Facts of the refusal by their names, where it has any. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Server answered: the same request would be refused again. */
  readonly answered: boolean;
};

/** Converts any thrown value to a Problem. An unreachable server has the console's own code `NETWORK`. */
export function problemOf(error: unknown): Problem {
  if (CombinedGraphQLErrors.is(error)) {
    const [first] = error.errors;
    if (first !== undefined) return fromExtensions(first.message, fieldsOf(first.extensions));
  }
  if (ServerError.is(error)) {
    const body = fieldsOf(parseJson(error.bodyText));
    const [first] = list(body.errors);
    const inner = fieldsOf(first);
    if (typeof inner.message === 'string') return fromExtensions(inner.message, fieldsOf(inner.extensions));
    return {
      code: `HTTP_${error.statusCode}`,
      message: wordsOf(error.statusCode),
      fields: [],
      answered: false,
    };
  }
  return { code: 'NETWORK', message: t('problem.network'), fields: [], answered: false };
}

/** Failure that has its status alone. 431 is answered before any of our code reads the request (RFC 6585 5). */
const wordsOf = (status: number): string => (status === 431 ? t('problem.cookies') : t('problem.http', { status }));

/** Problem of an unsuccessful REST response: its envelope, or its status alone. */
export function problemOfAnswer(status: number, body: string): Problem {
  const { error, meta } = fieldsOf(parseJson(body));
  const { message } = fieldsOf(error);
  if (typeof message === 'string') return fromExtensions(message, { ...fieldsOf(meta), ...fieldsOf(error) });
  return { code: `HTTP_${status}`, message: wordsOf(status), fields: [], answered: true };
}

function fromExtensions(message: string, extensions: Readonly<Record<string, unknown>>): Problem {
  const { code, requestId, details } = extensions;
  return {
    code: typeof code === 'string' ? code : 'UNKNOWN',
    message,
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(typeof details === 'object' && details !== null ? { details: fieldsOf(details) } : {}),
    fields: list(extensions.validationErrors).flatMap(fieldProblem),
    answered: true,
  };
}

function fieldProblem(value: unknown): FieldProblem[] {
  const { field, message, code } = fieldsOf(value);
  if (typeof field !== 'string' || typeof message !== 'string') return [];
  return [{ field, message, code: typeof code === 'string' ? code : '' }];
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
