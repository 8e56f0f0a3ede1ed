import { MAX_SECRET_LOCATION } from '@landfall/agent/protocol/limits';
import Type from 'typebox';
import Format from 'typebox/format';
import { parseReference } from './secret-reference.ts';

/** Input fields that several nouns share. */

/** Name given by people: 2 to 64 characters, VAL_TOO_SHORT or VAL_INVALID_FORMAT otherwise. */
export const label = Type.String({ minLength: 2, maxLength: 64, pattern: '^[A-Za-z0-9][A-Za-z0-9 ._-]*$' });

/** Component name: no `@` and no newline, since digest sets consist of `name@digest` lines. */
export const componentName = Type.String({ minLength: 1, maxLength: 64, pattern: '^[a-z0-9][a-z0-9._-]*$' });

/** Name of an environment variable (POSIX.1-2017, 8.1). */
export const variableName = Type.String({ minLength: 1, maxLength: 128, pattern: '^[A-Za-z_][A-Za-z0-9_]*$' });

/** Name of a secret in the built-in store. */
export const secretName = Type.String({ minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]*$' });

Format.Set('secret reference', (value) => parseReference(value) !== undefined);

/** Secret reference (`secret-reference.ts`). */
export const secretReference = Type.String({
  minLength: 1,
  maxLength: MAX_SECRET_LOCATION,
  format: 'secret reference',
});

export const expectedVersion = Type.Integer({ minimum: 1 });

/** Digest in the examples of operations. */
export const anyDigest = `sha256:${'0'.repeat(64)}`;
