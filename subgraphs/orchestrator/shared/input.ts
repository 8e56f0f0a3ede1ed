import { MAX_SECRET_PLACE } from '@landfall/agent/protocol/bounds';
import Type from 'typebox';
import Format from 'typebox/format';
import { parseReference } from './secret-reference.ts';

/** Input fields that several nouns share. */

/** A name that people give: VAL_TOO_SHORT under two characters, VAL_INVALID_FORMAT when it has odd ones. */
export const label = Type.String({ minLength: 2, maxLength: 64, pattern: '^[A-Za-z0-9][A-Za-z0-9 ._-]*$' });

/** A name inside a release: no `@` and no newline, since digest sets are made of `name@digest` lines. */
export const componentName = Type.String({ minLength: 1, maxLength: 64, pattern: '^[a-z0-9][a-z0-9._-]*$' });

/** An environment variable's name (POSIX.1-2017, 8.1). */
export const variableName = Type.String({ minLength: 1, maxLength: 128, pattern: '^[A-Za-z_][A-Za-z0-9_]*$' });

/** A sealed secret's name. */
export const secretName = Type.String({ minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]*$' });

Format.Set('secret reference', (value) => parseReference(value) !== undefined);

/** Reference of a secret (`secrets/reference.ts`). */
export const secretReference = Type.String({ minLength: 1, maxLength: MAX_SECRET_PLACE, format: 'secret reference' });

export const expectedVersion = Type.Integer({ minimum: 1 });

/** A digest in the examples of operations. */
export const anyDigest = `sha256:${'0'.repeat(64)}`;
