import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { MalformedJson, parseStrictJson } from './strict-json.ts';

export const IN_TOTO_PAYLOAD_TYPE = 'application/vnd.in-toto+json';

const MAX_STATEMENT_BYTES = 3_145_728;

const shape = Type.Object({
  _type: Type.Literal('https://in-toto.io/Statement/v1'),
  subject: Type.Array(
    Type.Object({
      name: Type.Optional(Type.String()),
      digest: Type.Object({ sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
    }),
    { minItems: 1, maxItems: 10_000 },
  ),
  predicateType: Type.String({ minLength: 1 }),
  predicate: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

/** In-toto Statement v1 whose subjects all have a SHA-256 digest. */
export type Statement = Static<typeof shape>;

const validator = Compile(shape);
const fits = (value: unknown): value is Statement => validator.Check(value);

/** Parses a statement; undefined if the bytes are none, or ambiguous. */
export const parseStatement = (payload: Uint8Array): Statement | undefined => {
  try {
    const json = parseStrictJson(new TextDecoder('utf-8', { fatal: true }).decode(payload), MAX_STATEMENT_BYTES);
    return fits(json) ? json : undefined;
  } catch (error) {
    // The decoder's own refusal of bytes that are no UTF-8 is a TypeError.
    if (error instanceof MalformedJson || error instanceof TypeError) return undefined;
    throw error;
  }
};

/** Digests of a statement's subjects, as in the API. */
export const subjectDigests = ({ subject }: Statement): readonly string[] =>
  subject.map(({ digest }) => `sha256:${digest.sha256}`);
