import { Fault } from '@landfall/kernel/core/fault';
import type { Deps } from '@landfall/kernel/module';
import { freeText } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { type Decision, decideAccess } from './access-decision.ts';
import type { AccessRules, Plan } from './plans.ts';

/** A plan as the graph shows it. */
export type PlanView = Plan & { readonly isDefault: boolean };

/** Any registry, where every one is served: the decision is the same for all. */
const ANY_SERVICE = 'any';

export const createAccess = ({ operation }: Pick<Deps, 'operation'>, rules: AccessRules) => ({
  plans: operation({
    name: 'registryPlan.list',
    kind: 'read',
    scope: ['authority:admin'],
    input: Type.Object({}),
    run: async (): Promise<PlanView[]> =>
      [...rules.plans.values()]
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map((plan) => ({ ...plan, isDefault: plan.name === rules.defaultPlan })),
  }),

  simulate: operation({
    name: 'registryAccess.simulate',
    kind: 'read',
    scope: [],
    input: Type.Object({
      service: Type.Optional(Type.String({ maxLength: 255 })),
      scope: Type.String({ maxLength: 20_000 }),
      plan: Type.Optional(freeText(64)),
      license: Type.Optional(freeText(512)),
    }),
    example: { scope: 'repository:acme/app:pull' },
    async run(caller, input): Promise<Decision> {
      const isAdmin = caller.scopes.has('authority:admin');
      if (!isAdmin && (input.plan !== undefined || input.license !== undefined))
        throw new Fault('PERM_SCOPE_DENIED', 'Missing required scope: authority:admin, to ask about others.', {
          anyOf: ['authority:admin'],
        });
      return decideAccess(rules, {
        service: input.service ?? (rules.services.size === 0 ? ANY_SERVICE : undefined),
        scope: [input.scope],
        plan: isAdmin ? input.plan : caller.plan,
        license: isAdmin ? input.license : caller.license,
      });
    },
  }),
});

export type AccessOperations = ReturnType<typeof createAccess>;
