import { type DocumentNode, type GraphQLSchema, parse, validate } from 'graphql';

const MAX_DOCUMENTS = 1_000;

/** Creates the cache of parsed and validated documents by text, least recently used first out. */
export const createDocumentCache = (schema: GraphQLSchema, max = MAX_DOCUMENTS): ((text: string) => DocumentNode) => {
  const known = new Map<string, DocumentNode>();

  const read = (text: string): DocumentNode => {
    const document = parse(text, { noLocation: true });
    const [error] = validate(schema, document);
    if (error) throw error;
    return document;
  };

  return (text) => {
    const document = known.get(text) ?? read(text);
    known.delete(text);
    known.set(text, document);
    const [oldest] = known.keys();
    if (known.size > max && oldest !== undefined) known.delete(oldest);
    return document;
  };
};
