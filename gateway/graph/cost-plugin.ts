import type { ApolloServerPlugin } from '@apollo/server';
import { Fault } from '@landfall/kernel/core/fault';
import type { Budget } from '../http/cost-budget.ts';
import type { GraphContext } from './context.ts';
import { costOf } from './cost.ts';
import { refusal } from './errors.ts';
import type { PriceList } from './price-list.ts';

/** Creates the plugin that draws an operation's cost from its caller's budget before planning. */
export const costPlugin = (prices: PriceList, budget: Budget): ApolloServerPlugin<GraphContext> => ({
  requestDidStart: async () => ({
    async didResolveOperation({ schema, document, operation, request, contextValue }) {
      if (!operation) return;
      const cost = costOf(schema, prices, document, operation, request.variables ?? {});
      try {
        budget.draw(contextValue.caller, cost);
      } catch (error) {
        throw error instanceof Fault ? refusal(error) : error;
      }
    },
  }),
});
