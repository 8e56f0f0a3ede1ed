import Type, { type TProperties, type TSchema } from 'typebox';

/** Parts of the schemas of several modules. */

export const uuid = Type.String({ format: 'uuid' });
export const instant = Type.String({ format: 'date-time' });
export const count = Type.Integer({ minimum: 0 });
export const digest = Type.String({ pattern: '^sha256:[0-9a-f]{64}$' });
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const strict = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });
