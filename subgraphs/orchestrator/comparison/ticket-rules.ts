import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, type Id, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import * as products from '../catalogue/products/product.ts';
import { expectVersion } from '../shared/expected-version.ts';
import { publishEvent } from '../shared/publish-event.ts';
import { administers, reads } from '../shared/scopes.ts';
import { MAX_PATTERN } from './linear-pattern.ts';
import * as store from './ticket-rules.store.ts';
import { patternProblem, type TicketRule, templateProblem } from './tickets.ts';

/** Rules of a product, or of the tenant where `productId` is null; version 0 where none were saved. */
export interface ScopedRules {
  readonly productId: products.ProductId | null;
  readonly rules: readonly TicketRule[];
  readonly version: number;
}

const MAX_RULES = 5;

const rule = Type.Object({
  pattern: Type.String({ minLength: 1, maxLength: MAX_PATTERN }),
  linkTemplate: Type.String({ minLength: 1, maxLength: 500 }),
});

const faultsIn = (rules: readonly TicketRule[]): FieldFault[] =>
  rules.flatMap(({ pattern, linkTemplate }, index): FieldFault[] =>
    [
      { field: `rules.${index}.pattern`, message: patternProblem(pattern) },
      { field: `rules.${index}.linkTemplate`, message: templateProblem(linkTemplate) },
    ].flatMap(({ field, message }) => (message === undefined ? [] : [{ field, message, code: 'VAL_INVALID_FORMAT' }])),
  );

/** Finds the rules that apply to a product: its own, else those of the tenant. */
export const findRules = async (
  query: Query,
  tenant: TenantId,
  product: Id<'Product'>,
): Promise<readonly TicketRule[]> => (await store.findFor(query, tenant, product))?.rules ?? [];

/** Creates the operations on rules that find tickets in commit messages. */
export const createTicketRules = ({ operation, ids }: Pick<Deps, 'operation' | 'ids'>) => ({
  get: operation({
    name: 'ticketRules.get',
    kind: 'read',
    scope: reads,
    input: Type.Object({ productId: Type.Optional(idOf('Product')) }),
    raises: ['RES_NOT_FOUND'],
    example: { productId: exampleId('Product') },
    async run(caller, { productId }, query): Promise<ScopedRules> {
      if (productId) await products.get(query, caller.tenant, productId);
      const scope = productId ?? null;
      return (await store.find(query, caller.tenant, scope)) ?? { productId: scope, rules: [], version: 0 };
    },
  }),

  save: operation({
    name: 'ticketRules.save',
    kind: 'write',
    scope: administers,
    input: Type.Object({
      productId: Type.Optional(idOf('Product')),
      expectedVersion: Type.Integer({ minimum: 0, maximum: 2_147_483_646 }),
      rules: Type.Array(rule, { maxItems: MAX_RULES }),
    }),
    raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT'],
    example: {
      productId: exampleId('Product'),
      expectedVersion: 0,
      rules: [{ pattern: 'SHOP-\\d+', linkTemplate: 'https://tickets.example/browse/{key}' }],
    },
    async run(caller, { productId, expectedVersion, rules }, tx) {
      const [first, ...others] = faultsIn(rules);
      if (first) throw invalid([first, ...others]);
      if (productId) await products.get(tx, caller.tenant, productId);
      const scope = productId ?? null;
      const found = await store.find(tx, caller.tenant, scope);
      const before = found && (await store.getLocked(tx, caller.tenant, found.id));
      expectVersion(before ?? { version: 0 }, expectedVersion);
      const saved = before
        ? await store.update(tx, caller.tenant, { id: before.id, rules }, caller.subject)
        : await store.insert(
            tx,
            caller.tenant,
            { id: toId(ids.uuid(), 'TicketRules'), productId: scope, rules },
            caller.subject,
          );
      await publishEvent(tx, caller, 'ticketRules.save', 'TicketRules', saved, { productId: scope, rules });
      return saved;
    },
  }),
});
