import { ApolloClient, type FieldMergeFunction, HttpLink, InMemoryCache, type StoreObject } from '@apollo/client';
import { createCurrentAnswers } from './current-answers.ts';
import { sessionFetch } from './session.ts';

/** Merges fields that another query read of the same list element. */
const byPlace: FieldMergeFunction<readonly StoreObject[]> = (existing, incoming, { mergeObjects }) =>
  incoming.map((item, place) => {
    const before = existing?.[place];
    return before === undefined ? item : mergeObjects(before, item);
  });

/** Apollo client over the session's cookie. Each operation is sent under its name, for the logs. */
export const client = new ApolloClient({
  link: createCurrentAnswers().concat(
    new HttpLink({
      uri: ({ operationName }) => `/graphql?op=${operationName ?? ''}`,
      fetch: sessionFetch,
      headers: { accept: 'application/graphql-response+json, application/json' },
    }),
  ),
  cache: new InMemoryCache({
    typePolicies: {
      // Computed for the caller as a whole: there is one, and the parts that pages ask for belong together.
      Today: { keyFields: [] },
      Me: { keyFields: [] },
      AccessVocabulary: { keyFields: [] },
      SearchAlert: { keyFields: ['alertId'] },
      SearchImport: { keyFields: ['importId'] },
      ProductInEnvironment: { keyFields: ['product', ['id'], 'environment', ['id']] },
      // A part of its person, of which pages ask more or less.
      UserSignIn: { merge: true },
      // The same commit of two repositories has two addresses.
      Commit: { keyFields: false },
      // An evidence reference identifies it, as in the auditor's package.
      Attestation: { keyFields: ['ref'] },
      // A deployment's targets have no identity of their own, but they are fixed and in one order from its launch on.
      Deployment: { fields: { targets: { merge: byPlace } } },
    },
  }),
});
