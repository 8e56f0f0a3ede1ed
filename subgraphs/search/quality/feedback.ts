import { Fault } from '@landfall/kernel/core/fault';
import { event } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { freeText, oneOf } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { SCOPES } from '../shared/operations.ts';
import { MAX_QUERY, textOrNull } from './analytics-events.ts';
import * as store from './feedback.store.ts';

/** @throws Fault advisoryai.validation.query_required, advisoryai.validation.query_too_long */
const queryOf = (queryText: string | undefined): string => {
  const query = textOrNull(queryText);
  if (query === null) throw new Fault('advisoryai.validation.query_required', 'Say which query it is about.');
  if (query.length > MAX_QUERY)
    throw new Fault('advisoryai.validation.query_too_long', `A query has at most ${MAX_QUERY} characters.`);
  return query;
};

export const createFeedback = ({ operation, ids }: Pick<Deps, 'operation' | 'ids'>) => ({
  send: operation({
    name: 'searchFeedback.send',
    kind: 'write',
    scope: SCOPES.view,
    input: Type.Object({
      query: Type.Optional(Type.String()),
      entityKey: freeText(500),
      signal: oneOf(...store.SIGNALS),
      comment: Type.Optional(Type.String({ maxLength: 2_000 })),
    }),
    raises: ['advisoryai.validation.query_required', 'advisoryai.validation.query_too_long'],
    example: { query: 'log4j', entityKey: 'vulnerability:CVE-2021-44228', signal: 'helpful' },
    async run(caller, { query: queryText, entityKey, signal, comment }, tx) {
      const query = queryOf(queryText);
      const feedbackId = ids.uuid();
      const row = { feedbackId, subject: caller.subject, query, entityKey, signal, comment: textOrNull(comment) };
      await store.insert(tx, caller.tenant, row);
      const data = { entityKey, signal };
      await event(tx, caller, 'searchFeedback.send', { entity: 'SearchFeedback', id: feedbackId, version: 1, data });
      return { feedbackId };
    },
  }),
});
