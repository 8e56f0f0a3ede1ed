import Type from 'typebox';

export const legacyRequest = Type.Object({
  q: Type.String({ description: 'What is asked, at most 1,000 characters.' }),
  k: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
});

const result = Type.Object({
  id: Type.String({ description: 'The piece of text that was found.' }),
  title: Type.String(),
  snippet: Type.String(),
  kind: Type.String({ description: '`document`, `operation`, `check`, `vulnerability`, …' }),
  score: Type.Number(),
  href: Type.Union([Type.String(), Type.Null()]),
});

export const legacyResponse = Type.Object({
  query: Type.String(),
  topK: Type.Integer(),
  results: Type.Array(result),
  diagnostics: Type.Object({
    mode: Type.Enum(['hybrid', 'fts-only']),
    usedVector: Type.Boolean(),
    activeEncoder: Type.Enum(['hash', 'onnx', 'onnx-fallback', 'hash-fallback']),
    durationMs: Type.Number(),
  }),
});

export const legacyRebuild = Type.Object({
  documentCount: Type.Integer(),
  chunkCount: Type.Integer(),
  apiSpecCount: Type.Integer(),
  apiOperationCount: Type.Integer(),
  doctorProjectionCount: Type.Integer({ description: 'Checks of `landfall doctor`.' }),
  durationMs: Type.Number(),
});
