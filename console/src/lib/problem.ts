import { CombinedGraphQLErrors, ServerError } from '@apollo/client/errors';
import { t } from './i18n.ts';

/** One input field that the server refused. `field` is its path in the input, with dots. */
export type FieldProblem = { readonly field: string; readonly message: string; readonly code: string };

/** A failure as the reader meets it: the code of the error table, plain words, and the id that the logs know. */
export type Problem = {
  readonly code: string;
  readonly message: string;
  readonly requestId?: string;
  readonly fields: readonly FieldProblem[];
  /** The server answered: the same request would be refused again. */
  readonly answered: boolean;
};

/** What any thrown value means. A server that cannot be reached has the code `NETWORK`, which is ours. */
export function problemOf(error: unknown): Problem {
  if (CombinedGraphQLErrors.is(error)) {
    const [first] = error.errors;
    if (first !== undefined) return fromExtensions(first.message, record(first.extensions));
  }
  if (ServerError.is(error)) {
    const body = record(parsed(error.bodyText));
    const [first] = list(body.errors);
    const inner = record(first);
    if (typeof inner.message === 'string') return fromExtensions(inner.message, record(inner.extensions));
    return {
      code: `HTTP_${error.statusCode}`,
      message: wordsOf(error.statusCode),
      fields: [],
      answered: false,
    };
  }
  return { code: 'NETWORK', message: t('problem.network'), fields: [], answered: false };
}

/** A failure that has its status alone. 431 is answered before any of our code reads the request (RFC 6585 5). */
const wordsOf = (status: number): string => (status === 431 ? t('problem.cookies') : t('problem.http', { status }));

/** What an answer of the REST interface means that is no success: its envelope, or its status alone. */
export function problemOfAnswer(status: number, body: string): Problem {
  const { error, meta } = record(parsed(body));
  const { message } = record(error);
  if (typeof message === 'string') return fromExtensions(message, { ...record(meta), ...record(error) });
  return { code: `HTTP_${status}`, message: wordsOf(status), fields: [], answered: true };
}

function fromExtensions(message: string, extensions: Readonly<Record<string, unknown>>): Problem {
  const { code, requestId } = extensions;
  return {
    code: typeof code === 'string' ? code : 'UNKNOWN',
    message,
    ...(typeof requestId === 'string' ? { requestId } : {}),
    fields: list(extensions.validationErrors).flatMap(fieldProblem),
    answered: true,
  };
}

function fieldProblem(value: unknown): FieldProblem[] {
  const { field, message, code } = record(value);
  if (typeof field !== 'string' || typeof message !== 'string') return [];
  return [{ field, message, code: typeof code === 'string' ? code : '' }];
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
