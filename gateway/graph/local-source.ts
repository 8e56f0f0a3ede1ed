import type { Module } from '@landfall/kernel/module';
import type { GraphContext } from './context.ts';
import type { ModuleSource } from './module-source.ts';
import { createSubgraphExecutor, type OnBug } from './subgraph.ts';

/** Source of a module in this process. */
export const localSource = (module: Module, onBug: OnBug): ModuleSource => {
  const run = createSubgraphExecutor(module.schema, onBug);

  const contextOf = ({ caller, contexts }: GraphContext): object => {
    const made = contexts.get(module.name) ?? module.context(caller);
    contexts.set(module.name, made);
    return made;
  };

  return { send: (request, context) => run(request, contextOf(context), context.caller.correlationId) };
};
