import Type from 'typebox';
import { instant, strict } from './parts.ts';

const component = strict({ '@id': Type.String() });

export const openVexDocument = strict({
  '@context': Type.String(),
  '@id': Type.String(),
  author: Type.String(),
  timestamp: instant,
  tooling: Type.String(),
  version: Type.Integer(),
  statements: Type.Array(
    strict({
      vulnerability: strict({ name: Type.String(), aliases: Type.Optional(Type.Array(Type.String())) }),
      timestamp: instant,
      products: Type.Array(
        strict({
          '@id': Type.String(),
          hashes: Type.Optional(Type.Record(Type.String(), Type.String())),
          subcomponents: Type.Optional(Type.Array(component)),
        }),
      ),
      status: Type.Enum(['not_affected', 'affected']),
      justification: Type.Optional(Type.String()),
      impact_statement: Type.Optional(Type.String()),
      action_statement: Type.Optional(Type.String()),
      status_notes: Type.Optional(Type.String()),
    }),
  ),
});
