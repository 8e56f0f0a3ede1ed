import Type, { type TSchema } from 'typebox';

export const nullish = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));

export type Nullish<T> = T | null | undefined;

export const listOf = (word: Nullish<string>): string[] => (word ? [word] : []);

export const instantOf = (text: Nullish<string>): Date | undefined => {
  const at = new Date(text ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at;
};
