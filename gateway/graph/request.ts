import { createHash } from 'node:crypto';
import { Fault } from '@landfall/kernel/core/fault';
import { Lexer, Source, TokenKind } from 'graphql';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** Limit of nested brackets in a document; parser, rules and planner recurse and could overflow their stack. */
export const MAX_BRACKET_DEPTH = 100;

const record = Type.Record(Type.String(), Type.Unknown());
const orNull = <const S extends typeof record | ReturnType<typeof Type.String>>(schema: S) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

const operation = Type.Object({
  query: orNull(Type.String()),
  operationName: orNull(Type.String()),
  variables: orNull(record),
  extensions: orNull(record),
});

const persistedQuery = Type.Object({
  version: Type.Literal(1),
  sha256Hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});

const [operations, persistedQueries] = [Compile(operation), Compile(persistedQuery)];
const isOperation = (value: unknown): value is Static<typeof operation> => operations.Check(value);
const isPersistedQuery = (value: unknown): value is Static<typeof persistedQuery> => persistedQueries.Check(value);

const OPENING: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** Checks the nesting, over as many tokens as the parser would read. */
const nests = (query: string, maxTokens: number): boolean => {
  // Most documents have fewer brackets than may stand inside each other, and need no second reading.
  if ((query.match(/[{[(]/g)?.length ?? 0) <= MAX_BRACKET_DEPTH) return false;
  const lexer = new Lexer(new Source(query));
  let depth = 0;
  try {
    for (let count = 0; count < maxTokens; count += 1) {
      const { kind } = lexer.advance();
      if (kind === TokenKind.EOF) return false;
      if (OPENING.has(kind)) depth += 1;
      if (CLOSING.has(kind)) depth -= 1;
      if (depth > MAX_BRACKET_DEPTH) return true;
    }
  } catch {
    // The parser says where the document is malformed.
  }
  return false;
};

const checkPersisted = (given: unknown, query: string | null | undefined): void => {
  if (given === undefined || given === null) return;
  if (!isPersistedQuery(given))
    throw new Fault(
      'VAL_INVALID_VALUE',
      'A persisted query has version 1 and a sha256Hash in lower-case hexadecimal.',
      {
        field: 'extensions.persistedQuery',
      },
    );
  if (typeof query === 'string' && createHash('sha256').update(query).digest('hex') !== given.sha256Hash)
    throw new Fault('VAL_INVALID_VALUE', 'The sha256Hash is not the hash of this query.', {
      field: 'extensions.persistedQuery.sha256Hash',
    });
};

/** Refuses a malformed request with VAL_* before Apollo Server reads it, some of whose errors have no code. */
export const checkRequest = (body: unknown, maxTokens: number): void => {
  if (!isOperation(body))
    throw new Fault(
      'VAL_INVALID_FORMAT',
      'The body is an object: query and operationName are text, variables and extensions are objects.',
    );
  const { query, extensions } = body;
  checkPersisted(extensions?.persistedQuery, query);
  if (typeof query === 'string' && nests(query, maxTokens))
    throw new Fault('VAL_TOO_LONG', `The document nests deeper than ${MAX_BRACKET_DEPTH} levels.`, {
      limit: 'nesting',
      allowed: MAX_BRACKET_DEPTH,
    });
};
