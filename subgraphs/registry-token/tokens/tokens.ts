import type { Deps } from '@landfall/kernel/module';
import { freeText, oneOf } from '@landfall/kernel/operation/input';
import { decodeCursor, type Page, pageFields, pageOf } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import * as store from './tokens.store.ts';

/** Request for a registry token, as the graph shows it. */
export type TokenView = store.TokenRow & { readonly jti: string | null };

const PAGE = 50;

const viewOf = (row: store.TokenRow): TokenView => ({ ...row, jti: row.outcome === 'issued' ? row.id : null });

export const createTokens = ({ operation }: Pick<Deps, 'operation'>) => ({
  list: operation({
    name: 'registryToken.list',
    kind: 'read',
    scope: ['authority:admin'],
    input: Type.Object({
      ...pageFields,
      outcome: Type.Optional(oneOf('issued', 'refused')),
      subject: Type.Optional(freeText(512)),
      repository: Type.Optional(freeText(255)),
    }),
    async run(caller, { first = PAGE, after, ...filter }, query): Promise<Page<TokenView>> {
      const rows = await store.list(query, caller.tenant, {
        ...filter,
        after: after === undefined ? undefined : decodeCursor(after),
        limit: first + 1,
      });
      return pageOf(rows.map(viewOf), first);
    },
  }),
});

export type Tokens = ReturnType<typeof createTokens>;
