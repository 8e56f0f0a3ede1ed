import { MAX_SECRET_LOCATION } from '@landfall/agent/protocol/limits';
import { patterned } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import Format from 'typebox/format';
import { parseReference } from './secret-reference.ts';

/** Input fields that several nouns share. */

/** Name given by people: 2 to 64 characters, VAL_TOO_SHORT or VAL_INVALID_FORMAT otherwise. */
export const label = patterned(
  '^[A-Za-z0-9][A-Za-z0-9 ._-]*$',
  'may have only letters, digits, spaces, dots, underscores and hyphens, and begins with a letter or digit',
  { minLength: 2, maxLength: 64 },
);

/** Component name: no `@` and no newline, since digest sets consist of `name@digest` lines. */
export const componentName = patterned(
  '^[a-z0-9][a-z0-9._-]*$',
  'may have only lower-case letters, digits, dots, underscores and hyphens, and begins with a letter or digit',
  { minLength: 1, maxLength: 64 },
);

/** Name of an environment variable (POSIX.1-2017, 8.1). */
export const variableName = patterned(
  '^[A-Za-z_][A-Za-z0-9_]*$',
  'may have only letters, digits and underscores, and does not begin with a digit',
  { minLength: 1, maxLength: 128 },
);

/** Name of a secret in the built-in store. */
export const secretName = patterned(
  '^[A-Za-z0-9][A-Za-z0-9._/-]*$',
  'may have only letters, digits, dots, underscores, hyphens and slashes, and begins with a letter or digit',
  { minLength: 1, maxLength: 128 },
);

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
