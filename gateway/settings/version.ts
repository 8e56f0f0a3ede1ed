import { readFileSync } from 'node:fs';
import Type from 'typebox';
import { Parse } from 'typebox/value';

const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');

/** Version of the product. */
export const { version } = Parse(Type.Object({ version: Type.String() }), JSON.parse(text));
