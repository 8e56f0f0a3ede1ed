import { isPerson, type Person } from '@landfall/kernel/testing/callers';
import Type, { type Static } from 'typebox';

const person = Type.Refine(Type.Unsafe<Person>(Type.String()), isPerson);

const serve = Type.Object({
  do: Type.Literal('serve'),
  connection: Type.Object({
    host: Type.String(),
    port: Type.Integer(),
    user: Type.String(),
    database: Type.String(),
  }),
  /** Root key in base64. */
  rootKey: Type.String(),
  port: Type.Integer(),
});

const command = Type.Union([
  serve,
  Type.Object({ do: Type.Literal('die'), at: Type.String(), nth: Type.Integer({ minimum: 1 }) }),
  Type.Object({ do: Type.Literal('hold'), at: Type.String() }),
  Type.Object({ do: Type.Literal('release'), at: Type.String() }),
  Type.Object({ do: Type.Literal('call'), operation: Type.String(), as: person, input: Type.Unknown() }),
]);

export const messages = {
  request: Type.Object({ id: Type.Integer(), command }),
  answer: Type.Union([
    Type.Object({ id: Type.Integer(), value: Type.Unknown() }),
    Type.Object({ id: Type.Integer(), code: Type.String(), message: Type.String() }),
  ]),
};

export type Serve = Omit<Static<typeof serve>, 'do'>;
export type Command = Static<typeof command>;
export type Answer = Static<typeof messages.answer>;
