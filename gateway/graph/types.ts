import { readFileSync } from 'node:fs';
import { Kind, parse } from 'graphql';

/** Object types of the public graph. */
export const graphTypes = (): ReadonlySet<string> => {
  const { definitions } = parse(readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8'));
  return new Set(
    definitions.flatMap((definition) =>
      definition.kind === Kind.OBJECT_TYPE_DEFINITION ? [definition.name.value] : [],
    ),
  );
};
