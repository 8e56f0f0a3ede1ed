import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApolloClient, gql, InMemoryCache } from '@apollo/client';
import { ApolloLink } from '@apollo/client/link';
import { Subject } from 'rxjs';
import { createCurrentAnswers } from './current-answers.ts';

/** Client whose requests are answered by the test, in its order. */
const openClient = () => {
  const requests: { readonly name: string | undefined; readonly answer: (data: object) => void }[] = [];
  const server = new ApolloLink(({ operationName }) => {
    const sent = new Subject<ApolloLink.Result>();
    requests.push({
      name: operationName,
      answer(data) {
        sent.next({ data });
        sent.complete();
      },
    });
    return sent;
  });
  const client = new ApolloClient({ link: createCurrentAnswers().concat(server), cache: new InMemoryCache() });
  return { client, requests };
};

const NAME = gql('query Name { it { id name } }');
const RENAME = gql('mutation Rename { it { id name } }');
const named = (name: string) => ({ it: { __typename: 'It', id: '1', name } });

test('an answer that was under way while a change was answered is asked for again, and not shown', async () => {
  const { client, requests } = openClient();
  const asked = client.query({ query: NAME, fetchPolicy: 'network-only' });
  const changed = client.mutate({ mutation: RENAME });
  requests[1]?.answer(named('new'));
  await changed;
  requests[0]?.answer(named('old'));
  assert.deepEqual(client.readQuery({ query: NAME }), null);
  requests[2]?.answer(named('new'));
  assert.deepEqual((await asked).data, named('new'));
  assert.deepEqual(
    requests.map(({ name }) => name),
    ['Name', 'Rename', 'Name'],
  );
});

test('an answer is shown at once when nothing was changed meanwhile', async () => {
  const { client, requests } = openClient();
  const asked = client.query({ query: NAME });
  requests[0]?.answer(named('first'));
  assert.deepEqual((await asked).data, named('first'));
  assert.equal(requests.length, 1);
});
