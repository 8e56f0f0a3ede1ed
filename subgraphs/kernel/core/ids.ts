import { hash, randomFillSync } from 'node:crypto';
import Type from 'typebox';

declare const brand: unique symbol;

/** String known to be the id of one entity type. */
export type Id<Name extends string> = string & { readonly [brand]: Name };

/** Immutable slug of a tenant, as in the token claim, every `tenant` column and the row-level-security setting. */
export type TenantId = Id<'Tenant'>;

export const isTenantId = (value: string): value is TenantId => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(value);

export const isId = <Name extends string>(value: string, _name: Name): value is Id<Name> =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value);

/** Casts `value` to an id of `name`; a value that is no UUID is a bug of the caller. */
export const toId = <Name extends string>(value: string, name: Name): Id<Name> => {
  if (!isId(value, name)) throw new TypeError(`not the id of a ${name}: ${value}`);
  return value;
};

export const toTenantId = (value: string): TenantId => {
  if (!isTenantId(value)) throw new TypeError(`not a tenant: ${value}`);
  return value;
};

/** Input schema of an id: a UUID, VAL_INVALID_UUID otherwise. */
export const idOf = <Name extends string>(_name: Name) => Type.Unsafe<Id<Name>>(Type.String({ format: 'uuid' }));

/** Source of new ids; injected, so that tests and golden files can seed it. */
export interface Ids {
  /** A UUIDv7 (RFC 9562 5.7). */
  uuid(): string;
}

/** Random bytes of one id. */
const RANDOM_BYTES = 10;

/** Buffer in which the bytes of an id are put together, one id at a time. */
const drawing = Buffer.alloc(16);

/** UUIDv7: 48 bits of milliseconds, then random bits, so that keys grow at one end of their index. */
export const uuidv7 = (milliseconds: number, random: Uint8Array): string => {
  drawing.writeUIntBE(milliseconds, 0, 6);
  for (let index = 0; index < RANDOM_BYTES; index++) drawing.writeUInt8(random[index] ?? 0, 6 + index);
  drawing.writeUInt8((drawing.readUInt8(6) & 0x0f) | 0x70, 6);
  drawing.writeUInt8((drawing.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = drawing.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/** Buffer of random bytes: generating thousands costs as much as generating ten. No byte is used twice. */
const buffer = Buffer.alloc(RANDOM_BYTES * 400);
let used = buffer.length;

const randomPart = (): Uint8Array => {
  if (used === buffer.length) {
    randomFillSync(buffer);
    used = 0;
  }
  used += RANDOM_BYTES;
  return buffer.subarray(used - RANDOM_BYTES, used);
};

export const randomIds: Ids = { uuid: () => uuidv7(Date.now(), randomPart()) };

/** Placeholder id of entity `name` in an operation's example, which the tenant matrix replaces with a real id. */
export const exampleId = <Name extends string>(name: Name): Id<Name> => {
  const hex = hash('sha256', `example/${name}`);
  return toId(
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`,
    name,
  );
};
