import { ApolloClient, type FieldMergeFunction, HttpLink, InMemoryCache, type StoreObject } from '@apollo/client';
import { createCurrentAnswers } from './current-answers.ts';
import { sessionFetch } from './session.ts';

/** Merges fields that another query read of the same list element. */
const byIndex: FieldMergeFunction<readonly StoreObject[]> = (existing, incoming, { mergeObjects }) =>
  incoming.map((item, index) => {
    const before = existing?.[index];
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
      // There is one per caller, so that fields from different queries are merged.
      Today: { keyFields: [] },
      Me: { keyFields: [] },
      AccessVocabulary: { keyFields: [] },
      SearchAlert: { keyFields: ['alertId'] },
      SearchImport: { keyFields: ['importId'] },
      ProductInEnvironment: { keyFields: ['product', ['id'], 'environment', ['id']] },
      // Part of its person: pages request different fields, which are merged.
      UserSignIn: { merge: true },
      // The same commit of two repositories has two addresses.
      Commit: { keyFields: false },
      // Versions of a policy share its id.
      ScorePolicy: { keyFields: ['id', 'version'] },
      // An evidence reference identifies it, as in the auditor's package.
      Attestation: { keyFields: ['ref'] },
      // A deployment's targets have no identity of their own, but they are fixed and in one order from its launch on.
      Deployment: { fields: { targets: { merge: byIndex } } },
    },
  }),
});
